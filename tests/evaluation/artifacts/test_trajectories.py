"""PTXBench's evaluation directories: conversations, their turns and their figures."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.artifacts.bundle import Bundle, BundleTurn, Hints, Limits
from tests.evaluation.artifacts.uploads import (
    HINTS,
    NO_HINTS,
    SOURCE,
    TASK,
    answer,
    archive,
    conversation,
    feedback,
    messages,
    read,
    refusal,
    trace,
)


def turns(bundle: Bundle) -> tuple[BundleTurn, ...]:
    return bundle.runs[0].trajectories[0].turns


def read_one(tmp_path: Path, *parts: dict[str, Any], **facts: str) -> Bundle:
    return read(tmp_path, conversation(*parts, **facts), "exp_000.json", HINTS)


def test_answer_with_the_message_behind_it_is_a_turn(tmp_path: Path) -> None:
    parts = [answer("Done"), feedback(), answer(), feedback(), {"role": "exit", "content": ""}]
    first, second = turns(read_one(tmp_path, *parts))
    assert (first.number, first.kernel) == (0, None)
    assert first.extraction.startswith("The answer holds no kernel: it has no ```cpp block")
    assert second.number == 1
    assert second.kernel is not None
    assert second.place == "exp_000.json:$.messages[4]"


def test_last_complete_block_counts(tmp_path: Path) -> None:
    text = f"```cpp\nold\n```\nBetter:\n```cpp\n{SOURCE}```\n```cpp\ncut off"
    (turn,) = turns(read_one(tmp_path, answer(text), feedback()))
    assert turn.kernel == turns(read_one(tmp_path, answer(), feedback()))[0].kernel


def test_answer_without_a_message_behind_it_is_reported(tmp_path: Path) -> None:
    bundle = read_one(tmp_path, answer("a"), answer(), feedback(), answer())
    assert len(turns(bundle)) == 1
    assert [text.split()[1] for text in messages(bundle, "warning")] == [
        "$.messages[2]",
        "$.messages[5]",
    ]


def test_turn_index_of_the_evaluation_counts(tmp_path: Path) -> None:
    parts = [answer(), feedback(4), answer(), feedback(2), answer(), feedback(2)]
    bundle = read_one(tmp_path, *parts)
    assert [turn.number for turn in turns(bundle)] == [2, 4]
    assert "stands at exp_000.json:$.messages[4] already" in messages(bundle, "error")[0]
    assert "lacks turns 0–1, 3; kept with the gap" in messages(bundle, "warning")[0]


@pytest.mark.parametrize("index", [10**9, -1, "1", True])
def test_impossible_turn_index_is_an_error(tmp_path: Path, index: Any) -> None:
    bundle = read_one(tmp_path, answer(), feedback(), answer(), feedback(index))
    assert len(turns(bundle)) == 1
    assert len(messages(bundle, "error")) == 1


def test_facts_come_from_the_conversation_and_the_model_from_the_form(tmp_path: Path) -> None:
    made = conversation(
        answer(), feedback(), task="mha_bwd_d128", gencode="arch=compute_100a,code=sm_100a"
    )
    (run,) = read(tmp_path, made, "exp_000.json", HINTS).runs
    assert (run.model, run.task, run.architecture) == ("My model", "mha_bwd_d128", "blackwell")
    (run,) = read(tmp_path, made, "exp_000.json", NO_HINTS).runs
    assert run.model == "api/model"


def test_form_fills_what_the_conversation_does_not_say(tmp_path: Path) -> None:
    made = conversation(answer(), feedback(), gencode="", task=TASK).replace(b"axes", b"sizes")
    (run,) = read(tmp_path, made, "exp_000.json", HINTS).runs
    assert (run.task, run.architecture) == (TASK, "hopper")
    said = refusal(tmp_path, made, "exp_000.json", Hints("M"))
    assert "the task is not named" in said
    assert "the architecture is not named" in said


def test_gpu_of_the_figures_says_the_architecture_where_nothing_else_does(tmp_path: Path) -> None:
    row = trace(environment={"hardware": "NVIDIA B200"})
    made = conversation(answer(), feedback(traces=[row]), gencode="")
    (run,) = read(tmp_path, made, "exp_000.json", NO_HINTS).runs
    assert run.architecture == "blackwell"


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"task": "gemm_n1_k1"}, "unknown task 'gemm_n1_k1'"),
        ({"gencode": "arch=compute_80,code=sm_80"}, "unknown architecture"),
    ],
)
def test_unknown_task_and_architecture_leave_the_conversation_out(
    tmp_path: Path, facts: dict[str, str], said: str
) -> None:
    good = conversation(answer(), feedback())
    bad = conversation(answer(), feedback(), **facts)
    files = {"trajectories/exp_000.json": good, "trajectories/exp_001.json": bad}
    bundle = read(tmp_path, archive("zip", files), "run.zip")
    assert bundle.counts()["trajectories"] == 1
    (error,) = messages(bundle, "error")
    assert error.startswith("trajectories/exp_001.json:1: ")
    assert said in error


def test_several_models_in_one_archive_are_kept_apart(tmp_path: Path) -> None:
    files = {
        f"{name}/trajectories/exp_000.json": conversation(answer(), feedback(), model=name)
        for name in ("one", "two")
    }
    bundle = read(tmp_path, archive("zip", files), "runs.zip")
    assert [run.model for run in bundle.runs] == ["one", "two"]
    assert "several models" in messages(bundle, "warning")[0]


def test_folders_are_runs_and_say_the_prompts(tmp_path: Path) -> None:
    made = conversation(answer(), feedback(), task="mha_with_lse_d128")
    files = {
        "a/trajectories/exp_000.json": made,
        "b-nopatched/trajectories/exp_000.json": made,
        "c-prompt-ablation/trajectories/exp_000.json": made,
    }
    bundle = read(tmp_path, archive("tar.gz", files), "runs.tar.gz")
    assert [run.prompt_set for run in bundle.runs] == ["standard", "unpatched", "ablation"]
    assert bundle.counts() == {"runs": 3, "trajectories": 3, "turns": 3, "kernels": 1}


def test_reasoning_tokens_of_the_interface_are_kept(tmp_path: Path) -> None:
    usage = {"completion_tokens_details": {"reasoning_tokens": 321}}
    counted = answer() | {"extra": {"response": {"usage": usage}}}
    assert turns(read_one(tmp_path, counted, feedback()))[0].reasoning_tokens == 321


def test_content_in_parts_is_joined(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "Here"}, {"type": "text", "text": f"```cpp\n{SOURCE}```"}]
    made = {"role": "assistant", "content": parts}
    assert turns(read_one(tmp_path, made, feedback()))[0].kernel is not None


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (b'{"messages": []}', "$.messages is not an array"),
        (b'{"messages": [{"role": "system"}]}', "has no user message"),
        (b'{"messages": [5]}', "$.messages[0] is not an object"),
        (b'{"messages": [{"role": 5}]}', "$.messages[0].role is not a text"),
    ],
)
def test_document_that_is_no_conversation_is_left_out(
    tmp_path: Path, document: bytes, said: str
) -> None:
    assert said in refusal(tmp_path, document, "exp_000.json")


def test_key_that_no_address_holds_is_an_error(tmp_path: Path) -> None:
    good = conversation(answer(), feedback())
    long, fine = "k" * 81, "emoji 🚀"
    files = {f"trajectories/{key}.json": good for key in (long, fine, "a\u202eb")}
    bundle = read(tmp_path, archive("tar.zst", files), "run.tar.zst")
    assert [trajectory.key for trajectory in bundle.runs[0].trajectories] == [fine]
    assert len(messages(bundle, "error")) == 2


def test_no_number_in_figures_is_noted_and_bad_json_refuses_all(tmp_path: Path) -> None:
    good = conversation(answer(), feedback(score=float("nan")))
    bundle = read(tmp_path, archive("zip", {"trajectories/a.json": good}), "run.zip")
    assert "$.messages[3].extra.score is NaN" in messages(bundle, "note")[0]
    files = {"trajectories/a.json": good, "trajectories/b.json": b'{\n"messages": [}'}
    said = refusal(tmp_path, archive("zip", files), "run.zip")
    assert said.startswith("trajectories/b.json:2: is not JSON")


def test_turns_are_counted_over_all_conversations(tmp_path: Path) -> None:
    files = {f"trajectories/{n}.json": conversation(answer(), feedback()) for n in range(5)}
    said = refusal(tmp_path, archive("zip", files), "run.zip", limits=Limits(turns=4))
    assert "more than 4 turns" in said
