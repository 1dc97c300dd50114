"""What the policy bans, what it only reports, and what it must leave alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_runner.policy import inspect

HONEST = """\
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda/barrier>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#define TILE_CAT_(a, b) a##b
#define TILE_CAT(a, b) TILE_CAT_(a, b)
// cublasGemmEx takes 0.74 ms here; cutlass::gemm is close
/* #include <cudnn.h> */
static const int kTiles[][3] = {{4096, 128, 64}, {8192, 128, 128}};
__device__ void copy(const void* map, uint32_t bar) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
  asm volatile("{ .reg .pred p; wgmma.fence.sync.aligned; }" ::: "memory");
}
__global__ void TILE_CAT(gemm_, kernel)(const __nv_bfloat16* a) {}
static void* workspace = nullptr;
void run(tvm::ffi::TensorView a, tvm::ffi::TensorView c) {
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, 0));
  printf("upstream of cublas: %s", "cudnn");
  cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &f, cudaEnableDefault, &status);
  cuTensorMapEncodeTiled(&map, type, 2, base, dims, strides, box, one, i, s, l, o);
  if (!workspace) cudaMalloc(&workspace, 1 << 20);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  gemm_kernel<<<grid, block, shared, stream>>>(a);
  cudaEventRecord(event, side); cudaStreamWaitEvent(stream, event, 0);
  cudaGraphLaunch(graph, stream);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
"""

BANNED = [
    ("#include <cublas_v2.h>", "vendor_include"),
    ("#include <cublasLt.h>", "vendor_include"),
    ('#include "cudnn.h"', "vendor_include"),
    ("#include <cudnn_frontend.h>", "vendor_include"),
    ("#include <cutlass/gemm/device/gemm.h>", "vendor_include"),
    ('#include "third_party/cutlass/include/cute/tensor.hpp"', "vendor_include"),
    ("#include <cute/tensor.hpp>", "vendor_include"),
    ("#include <cusparseLt.h>", "vendor_include"),
    ("#include <cutensor.h>", "vendor_include"),
    ("#include <flashinfer/attention/prefill.cuh>", "vendor_include"),
    ("#inc\\\nlude <cub\\\nlas_v2.h>", "vendor_include"),
    ("%: include /* a */ <cublas_v2.h>", "vendor_include"),
    ("#define H <cublas_v2.h>\n#include H", "vendor_include"),
    ('#define H(x) <x/x.h>\n#include H(cutlass)', "vendor_include"),
    ('#define S(x) #x\n#include S(cudnn.h)', "vendor_include"),
    ("#ifdef FAST\n#include <cublas_v2.h>\n#endif", "vendor_include"),
    ("#if 0\n#else\n#include <cublas_v2.h>\n#endif", "vendor_include"),
    ("cublasHandle_t handle;", "vendor_call"),
    ("void run() { cublasGemmEx(h); }", "vendor_call"),
    ("auto status = cublasLtMatmul(h);", "vendor_call"),
    ("auto f = &cudnnConvolutionForward;", "vendor_call"),
    ("cub\\\nlasSgemm(h);", "vendor_call"),
    ('extern "C" int cublasGemmEx(void*);', "vendor_call"),
    ("#define G cublasGemmEx\nvoid run() { G(h); }", "vendor_call"),
    ("#define C(a, b) a##b\nC(cub, lasGemmEx)(h);", "vendor_call"),
    ("#define C_(a,b) a %:%: b\n#define C(a,b) C_(a,b)\n#define P cub\nC(P,lasGemmEx)(h);",
     "vendor_call"),
    ("#define C(a,b,c) a##b##c\nC(cu,dnn,\nCreate)(h);", "vendor_call"),
    ("#define K(x) cudnn##x\nK(Create)(&h);", "vendor_call"),
    ("#ifdef A\n#define C(a,b) a##b\n#else\n#define C(a,b) a\n#endif\nC(cub,lasGemmEx)(h);",
     "vendor_call"),
    ('int gemm(void*) __asm__("cublasGemmEx");', "vendor_call"),
    ('int gemm() __attribute__((weakref("cublasGemmEx")));', "vendor_call"),
    ("auto c = at::matmul(a, b);", "vendor_call"),
    ("torch::nn::functional::scaled_dot_product_attention(q);", "vendor_call"),
    ("using namespace cute;", "vendor_namespace"),
    ("namespace c = cutlass;", "vendor_namespace"),
    ("cutlass::gemm::device::Gemm<float> g;", "vendor_namespace"),
    ("auto t = ::cute::make_tensor(p);", "vendor_namespace"),
    ('dlopen("libcublas.so.12", RTLD_NOW);', "vendor_load"),
    ('dlopen("libcu" "dnn.so", 1);', "vendor_load"),
    (r'dlopen("libcu\x62las.so", 1);', "vendor_load"),
    ('dlopen(R"(/usr/lib/libcublasLt.so)", 1);', "vendor_load"),
    ('dlopen((std::string("libcu") + "blas.so").c_str(), 1);', "vendor_load"),
    ('#define L "libcublas.so"\nvoid f() { dlopen(L, 1); }', "vendor_load"),
    ('#define S(x) #x\nvoid f() { dlopen(S(libcublas.so), 1); }', "vendor_load"),
    ('const char* n[] = {"libcublas.so.13"};\nvoid* f() { return dlopen(n[0], 1); }',
     "vendor_load"),
    ('dlsym(h, "cublasGemmEx");', "vendor_load"),
    ("#define D(a) a##open\nD(dl)(\"libcublas.so\", 1);", "vendor_load"),
    ('x = "\\\n";cublasCreate(&h);', "vendor_call"),
    ("// a \\\n still a comment\ncublasCreate(&h);", "vendor_call"),
    ('R"(a" /* )" cublasCreate(&h); // */', "vendor_call"),
    ("// old Mac\rcublasCreate(&h);", "vendor_call"),
    ("#ifdef NEVER\n#define cublasCreate(h)\n#endif\ncublasCreate(&h);", "vendor_call"),
    ("#ifndef A\n#define DO(x) x\n#else\n#define DO(x)\n#endif\nDO(cublasCreate(&h);)",
     "vendor_call"),
    ("#define F(x) x x\n" + "F(" * 40_000 + "cublasCreate(&h);", "vendor_call"),
    ('asm("call cublasGemmEx@PLT");', "vendor_call"),
    ('asm volatile("// go\\n jmp cublasGemmEx" ::: "memory");', "vendor_call"),
    ('tvm::ffi::Function::GetGlobal("tvm.contrib.cublas.matmul");', "vendor_load"),
    ('Function::GetGlobalRequired("flashinfer.gemm");', "vendor_load"),
    ('TVMFFIByteArray n{"flashinfer.gemm", 15};\nint e = TVMFFIFunctionGetGlobal(&n, &f);',
     "vendor_load"),
    ("#include <ATen/ATen.h>", "vendor_include"),
    ("#include <torch/extension.h>", "vendor_include"),
    ("#include <c10/cuda/CUDAStream.h>", "vendor_include"),
    ("#include <nccl.h>", "vendor_include"),
    ("ncclAllReduce(a, b, n, t, o, c, s);", "vendor_call"),
    ("#include <flash_attn.h>", "vendor_include"),
    ("#include <flash_attn_3/x.h>", "vendor_include"),
    ("#include <deep_gemm/fp8_gemm.cuh>", "vendor_include"),
]  # fmt: skip

NOTICED = [
    ('#include "/etc/passwd"', "absolute_include"),
    ("#include </dev/zero>", "absolute_include"),
    ('#define P "/etc/passwd"\n#include P', "absolute_include"),
    ('#embed "/etc/passwd"', "absolute_include"),
    ('#include "../../secret.h"', "parent_include"),
    ("#include <cub/block/block_reduce.cuh>", "allowed_library"),
    ("#include <curand_kernel.h>", "allowed_library"),
    ('asm(".incbin \\"/etc/passwd\\"");', "assembler_file"),
    ('__asm__ __volatile__(".inc" "bin \'/etc/passwd\'");', "assembler_file"),
    ('#define S(x) #x\nasm(S(.incbin "/etc/passwd"));', "assembler_file"),
    ('asm volatile("syscall" ::: "rcx");', "host_assembly"),
    ('asm("mov %%rax, %0" : "=r"(x));', "host_assembly"),
    ('asm(".pushsection .text");', "host_assembly"),
    ('dlopen("libcuda.so.1", RTLD_NOW);', "runtime_code"),
    ("auto load = dlopen;", "runtime_code"),
    ("cuModuleLoadData(&m, image);", "runtime_code"),
    ("cuLibraryLoadData(&l, image, 0, 0, 0, 0, 0, 0);", "runtime_code"),
    ("cudaLibraryLoadFromFile(&l, p);", "runtime_code"),
    ("nvrtcCompileProgram(p, 0, 0);", "runtime_code"),
    ("cuLinkAddData(s);", "runtime_code"),
    ('cudaGetDriverEntryPoint("cuModuleLoadData", &f, 0, &s);', "runtime_code"),
    ('tvm::ffi::Module::LoadFromFile("x.so");', "runtime_code"),
    ('const char image[] = "\\x7f" "ELF\\2\\1";', "embedded_binary"),
    ("unsigned char image[] = {0x7f, 0x45, 0x4c, 0x46, 2, 1};", "embedded_binary"),
    ("char image[] = {127, 'E', 'L', 'F'};", "embedded_binary"),
    ("unsigned char fat[] = {0x50, 0xed, 0x55, 0xba};", "embedded_binary"),
    ("unsigned fat[] = {0xBA55ED50u, 1};", "embedded_binary"),
    ("unsigned image[] = {0x464c'457fU};", "embedded_binary"),
    ("int t[] = {" + "1, " * 5000 + "};", "large_data"),
    ('char t[] = "' + "a" * 40_000 + '";', "large_data"),
    ('system("ls");', "process"),
    ('return ::popen("ls", "r");', "process"),
    ("if (fork() == 0) std::system(c);", "process"),
    ("int s = socket(AF_INET, SOCK_STREAM, 0);", "process"),
    ("execvp(a, b);", "process"),
    ("#define K(x) cublas##x", "pasted_name"),
    ("void cublasLikeGemm(int n) { work(n); }", "vendor_like_name"),
    ("constexpr int cublasTile = 128; int x = cublasTile;", "vendor_like_name"),
    ("struct cublasLikeTile { int m; };", "vendor_like_name"),
    ('asm("call f@PLT");', "host_assembly"),
    ('tvm::ffi::Function::GetGlobal("my.function");', "runtime_code"),
    ("tvm::ffi::Function::GetGlobalRequired(name);", "runtime_code"),
    ("TVMFFIFunctionGetGlobal(&name, &f);", "runtime_code"),
    ("uint64_t image[] = {0x00010102464c457f, 0};", "embedded_binary"),
    ("uint64_t image[] = {282584257676671ULL, 0};", "embedded_binary"),
    ("uint16_t image[] = {0x457f, 0x464c, 2};", "embedded_binary"),
    ("uint64_t fat[] = {0x00100001ba55ed50ull};", "embedded_binary"),
    ("int fat[] = {-1168773808, 1};", "embedded_binary"),
    ("short fat[] = {-4784, -17835};", "embedded_binary"),
    ("char fat[] = {80, -19, 85, -70};", "embedded_binary"),
    ("uint16_t fat[] = {0x43b1, 0x4662};", "embedded_binary"),
    ("int x; // \u202e tfel ot thgir", "hidden_order"),
    ("#define F(x) x x\n" + "F(" * 40_000, "macro_overflow"),
]  # fmt: skip

NOT_FLAGGED = [
    "// cublasGemmEx",
    "/* cutlass::gemm */",
    'const char* s = "cublasGemmEx libcublas.so.12 cudnn";',
    'printf("libcublas.so");',
    'const char* s = R"x(#include <cublas_v2.h>\ncublasCreate(&h);)x";',
    "char c = 'c'; // cublas\\\n cublasCreate(&h);",
    "#if 0\n#include <cublas_v2.h>\ncublasCreate(&h);\n#endif",
    "#if 1\n#else\ncublasCreate(&h);\n#endif",
    '#error "needs cublasLtMatmul"',
    "#pragma message(cublasCreate)",
    "#if __has_include(<cublas_v2.h>)\n#endif",
    "int upstream = downstream + stream; cudaStream_t streams[4];",
    "auto s = at::cuda::getCurrentCUDAStream(); c10::cuda::getCurrentCUDAStream();",
    "auto s = TVMFFIEnvGetStream(kDLCUDA, device);",
    'asm volatile("prefetch.tensormap [%0];" ::"l"(p) : "memory");',
    'asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0};" : "+f"(d));',
    'asm volatile("// cublasGemmEx\\n mov.u32 %0, %%clock;" : "=r"(x));',
    'const char* ptx = ".version 8.6\\n.target sm_90a\\n.visible .entry k() { ret; }";',
    "cuTensorMapEncodeTiled(&m);",
    'cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &f, 0, &s);',
    "int tuning[][4] = {" + "{4096, 128, 64, 3}, " * 64 + "};",
    "int execute(int x); execute(3); pool.system(x); mine::fork(x); void fork(int);",
    "int cute = 1; my::cute::f(); a.cutlass::b;",
    'asm volatile("{ .reg .b32 cublasTmp; mov.b32 cublasTmp, %0; }" ::"r"(x));',
    "int cublas_free = 1; my_cublasGemm(); int mycublasX;",
    '#include "cute_tiles.h"\n#include <cuda/ptx>\n#include <cooperative_groups.h>',
    "#define CAT(a, b) a##b\nint CAT(tile_, 1);",
    "#define VERSION 1...\nint x;",
    "__nv_bfloat16 a; __nv_bfloat162 b; mma_bf16(a, b);",
    "unsigned x = 0x7f, y = 0x50; float f = 0x1.8p3f; int n = 0; int o = 089;",
    "cudaGraphLaunch(g, s); cudaMalloc(&w, n); k1<<<1, 1>>>(); k2<<<1, 1>>>();",
    "",
    "\0\x7f\ufeff",
]


def rules(source: str, kind: str) -> set[str]:
    return {finding.rule for finding in inspect(source) if finding.kind == kind}


def test_an_honest_kernel_has_no_findings():
    assert inspect(HONEST) == ()


@pytest.mark.parametrize(("source", "rule"), BANNED)
def test_banned(source, rule):
    assert rule in rules(source, "banned")
    assert rule in rules(HONEST + source, "banned")


@pytest.mark.parametrize(("source", "rule"), NOTICED)
def test_only_reported(source, rule):
    assert {(finding.kind, finding.rule) for finding in inspect(source)} == {("notice", rule)}


@pytest.mark.parametrize("source", NOT_FLAGGED)
def test_not_flagged(source):
    assert inspect(source) == ()
    assert inspect(source.replace("\n", "\r\n")) == ()


@given(
    st.lists(
        st.sampled_from([source for source, _ in BANNED + NOTICED[:20] if len(source) < 999]),
        max_size=4,
    )
)
def test_findings_of_one_text_survive_in_another(sources):
    found = rules("\n".join(["", *sources]), "banned")
    expected = {rule for source, rule in BANNED if source in sources}
    assert expected <= found
