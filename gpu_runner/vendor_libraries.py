"""Libraries of finished kernels, which a kernel must not use, by every name they go under."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VendorLibrary:
    """One library.

    `headers` matches a file's name, `folders` a folder in an include path, `names` an
    identifier of its interface, `word` what its shared objects are called, without `lib`.
    """

    name: str
    headers: str = ""
    folders: frozenset[str] = frozenset()
    names: str = ""
    namespaces: frozenset[str] = frozenset()
    word: str = ""


def _with_c_interface(name: str, word: str, *folders: str) -> VendorLibrary:
    """A library whose headers, functions and files all begin with one word."""
    return VendorLibrary(
        name,
        headers=rf"{word}(?:_v2|_api|_\w+|Lt|Xt|Mp|Mg|Dn|Rf|Sp|dx|Dx)?\.(?:h|hpp|cuh)",
        folders=frozenset(folders),
        names=rf"{word}[A-Z]\w*",
        namespaces=frozenset({f"{word}dx", f"{word}_frontend"}),
        word=word,
    )


VENDOR_LIBRARIES = (
    _with_c_interface("cuBLAS", "cublas", "cublasdx"),
    _with_c_interface("cuBLAS", "nvblas"),
    _with_c_interface("cuDNN", "cudnn", "cudnn_frontend", "cudnn-frontend"),
    _with_c_interface("cuSPARSE", "cusparse"),
    _with_c_interface("cuSOLVER", "cusolver"),
    _with_c_interface("cuTENSOR", "cutensor", "cutensor"),
    _with_c_interface("cuFFT", "cufft", "cufftdx"),
    VendorLibrary(
        "CUTLASS",
        folders=frozenset({"cutlass"}),
        namespaces=frozenset({"cutlass"}),
        word="cutlass",
    ),
    VendorLibrary("CuTe", folders=frozenset({"cute"}), namespaces=frozenset({"cute"})),
    VendorLibrary(
        "TensorRT",
        headers=r"NvInfer\w*\.h",
        namespaces=frozenset({"nvinfer1"}),
        word="nvinfer",
    ),
    VendorLibrary(
        "FlashInfer",
        folders=frozenset({"flashinfer"}),
        namespaces=frozenset({"flashinfer"}),
        word="flashinfer",
    ),
    VendorLibrary(
        "FlashAttention",
        headers=r"flash_attn[\w.-]*",
        folders=frozenset({"flash_attn", "flash_attn_2", "flash_attn_3", "flash-attention"}),
        namespaces=frozenset({"flash_attn"}),
        word="flash_attn",
    ),
    VendorLibrary(
        "DeepGEMM",
        folders=frozenset({"deep_gemm"}),
        namespaces=frozenset({"deep_gemm"}),
        word="deep_gemm",
    ),
    _with_c_interface("NCCL", "nccl"),
    VendorLibrary("PyTorch", folders=frozenset({"ATen", "torch", "c10"})),
)

TORCH_NAMESPACES = frozenset({"at", "torch"})
TORCH_KERNELS = frozenset(
    {
        "addbmm", "addmm", "baddbmm", "bmm", "chain_matmul", "dot", "einsum", "inner", "linear",
        "matmul", "matmul_out", "mm", "mm_out", "bmm_out", "scaled_dot_product_attention",
        "softmax", "tensordot",
    }
)  # fmt: skip
"""Functions of PyTorch that run a library's kernel; its streams and tensors are no matter."""

_NAMES = tuple((re.compile(a.names), a.name) for a in VENDOR_LIBRARIES if a.names)
_HEADERS = tuple((re.compile(a.headers), a.name) for a in VENDOR_LIBRARIES if a.headers)
_FOLDERS = {folder: a.name for a in VENDOR_LIBRARIES for folder in a.folders}
_NAMESPACES = {space: a.name for a in VENDOR_LIBRARIES for space in a.namespaces}
_WORDS = {a.word: a.name for a in VENDOR_LIBRARIES if a.word}
_ANY_WORD = re.compile("|".join(_WORDS))
_ANY_START = re.compile(f"(?:{'|'.join(_WORDS)})")
_SHARED_OBJECT = re.compile(rf"(?:.*/)?lib(?P<word>{'|'.join(_WORDS)})[\w.-]*\.so[\d.]*")
_LONGEST_DOTTED = 200
_DOTTED = re.compile(rf"(?:\w+\.)*\w*?(?P<word>{'|'.join(_WORDS)})\w*(?:\.\w+)+")


def library_of_name(name: str) -> str | None:
    """The library that an identifier such as `cublasGemmEx` belongs to."""
    if _ANY_START.match(name) is None:
        return None
    return next((library for form, library in _NAMES if form.fullmatch(name)), None)


def library_of_beginning(text: str) -> str | None:
    """The library whose names begin with `text` or like it: what pasting may complete."""
    found = _ANY_START.match(text)
    return _WORDS[found[0]] if found else None


def library_of_namespace(name: str) -> str | None:
    """The library a namespace belongs to."""
    return _NAMESPACES.get(name)


def library_of_header(path: str) -> str | None:
    """The library a header belongs to, by its file name or a folder on the way."""
    *folders, file = path.split("/")
    for folder in folders:
        if folder in _FOLDERS:
            return _FOLDERS[folder]
    return next((library for form, library in _HEADERS if form.fullmatch(file)), None)


def library_in_text(text: str) -> str | None:
    """The library that a text mentions in any form."""
    found = _ANY_WORD.search(text.lower())
    return _WORDS[found[0]] if found else None


def library_of_file(text: str) -> str | None:
    """The library whose shared object a text names, and nothing else."""
    found = _SHARED_OBJECT.fullmatch(text)
    return _WORDS[found["word"]] if found else None


def library_of_dotted(text: str) -> str | None:
    """The library whose registered function a text names, such as `contrib.cublas.matmul`."""
    found = _DOTTED.fullmatch(text) if len(text) <= _LONGEST_DOTTED else None
    return _WORDS[found["word"]] if found else None
