"""Reads PTXBench's evaluation directories: conversations as mini-swe-agent keeps them.

`trajectories/<name>.json` is one conversation. Its first user message is the task; an answer
of the assistant with the user message behind it is one turn. The form's model names the entry,
since the file only knows the name under which the model was called.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from evaluation.architectures import HARDWARE, REPORTED_HARDWARE
from evaluation.artifacts.answers import Kernel
from evaluation.artifacts.bundle_draft import Draft, Part, Place
from evaluation.artifacts.bundle_records import BundleTurn, Reported
from evaluation.artifacts.json_fields import Field, FieldFault
from evaluation.artifacts.json_lines import json_document
from evaluation.artifacts.problems import shown
from evaluation.artifacts.ptxbench_runs import prompt_set
from evaluation.artifacts.strict_json import shown_path
from evaluation.artifacts.trajectory_facts import Facts, message_text, read_facts
from evaluation.artifacts.trajectory_figures import (
    read_figures,
    reasoning_tokens,
    turn_number,
)
from evaluation.tasks import Task, load_catalog

_Exchange = tuple[Field, Field]
"""An answer and the user message behind it."""


@dataclass(frozen=True, slots=True)
class _Conversation:
    """A conversation that has been read. `root` is the folder of its run."""

    root: str
    key: str
    facts: Facts
    place: Place
    turns: tuple[tuple[BundleTurn, Place], ...]


@dataclass(slots=True)
class TrajectoryReader:
    """Reads the files of one upload into a draft."""

    draft: Draft
    _conversations: list[_Conversation] = field(default_factory=list)

    def take(self, data: bytes, file: str, root: str, key: str) -> Iterator[Kernel]:
        """Read one conversation, giving each kernel."""
        document = Field(json_document(data, file, self.draft))
        place = Place(file)
        try:
            messages = list(document["messages"].elements())
            request, exchanges = self._exchanges(messages, place)
            facts = self._facts(read_facts(document, request))
        except FieldFault as fault:
            self.draft.error(place, f"{fault.path} {fault}; conversation left out")
            return
        task = load_catalog().get(facts.task)
        turns = []
        for index, exchange in enumerate(exchanges):
            turn_place = Place(file, 1, shown_path(exchange[0].path))
            self.draft.count_row(turn_place)
            turn, kernel = self._read_turn(index, exchange, turn_place, task)
            if turn is not None:
                turns.append((turn, turn_place))
            if kernel is not None:
                yield kernel
        self._conversations.append(_Conversation(root, key, facts, place, tuple(turns)))

    def finish(self) -> None:
        """Add the turns to the draft, once everything has been read."""
        self.draft.kind = "ptxbench"
        names = sorted({item.facts.model for item in self._conversations if item.facts.model})
        hint = self.draft.hints.model
        if hint and len(names) > 1:
            message = f"the files name several models, which are kept: {', '.join(names[:5])}"
            self.draft.warn(Place(self.draft.file), message)
            hint = ""
        for item in self._conversations:
            self._add(item, hint)

    def _exchanges(self, messages: list[Field], place: Place) -> tuple[str, list[_Exchange]]:
        """The request, and each answer with the message behind it."""
        request: str | None = None
        answer: Field | None = None
        exchanges: list[_Exchange] = []
        for message in messages:
            role = message["role"].text()
            if role == "user" and request is None:
                request = message_text(message)
            elif role == "user" and answer is not None:
                exchanges.append((answer, message))
                answer = None
            elif role == "assistant" and request is not None:
                if answer is not None:
                    self._report_unanswered(answer, place)
                answer = message
        if request is None:
            raise Field(None, ("messages",)).fault("has no user message, which gives the task")
        if answer is not None:
            self._report_unanswered(answer, place)
        return request, exchanges

    def _report_unanswered(self, answer: Field, place: Place) -> None:
        path = shown_path(answer.path)
        self.draft.warn(place, f"{path} has no user message behind it, so it is no turn; left out")

    def _facts(self, said: Facts) -> Facts:
        """Whom and what the conversation is by its own words, else by the form's."""
        hints = self.draft.hints
        return Facts(said.model, said.task or hints.task, said.architecture or hints.architecture)

    def _read_turn(
        self, index: int, exchange: _Exchange, place: Place, task: Task | None
    ) -> tuple[BundleTurn | None, Kernel | None]:
        """One turn and its kernel; no turn, with a problem, if its number is none."""
        answer, feedback = exchange
        try:
            own = turn_number(feedback)
        except FieldFault as fault:
            self.draft.error(place._replace(path=""), f"{fault.path} {fault}; turn left out")
            return None, None
        text = message_text(answer)
        kernel, reason = self.draft.kernel_or_reason(text, place, answer=True)
        turn = BundleTurn(
            number=index if own is None else own,
            kernel=kernel.sha256 if kernel else None,
            extraction=reason,
            place=str(place),
            reasoning_tokens=reasoning_tokens(answer),
            reported=self._figures(feedback, task, place) if task else None,
        )
        return turn, kernel

    def _figures(self, feedback: Field, task: Task, place: Place) -> Reported | None:
        try:
            return read_figures(feedback, message_text(feedback), task)
        except FieldFault as fault:
            self.draft.error(place._replace(path=""), f"{fault.path} {fault}; figures left out")
            return None

    def _add(self, item: _Conversation, hint: str) -> None:
        facts = item.facts
        part = Part(
            model=hint or facts.model,
            task=facts.task,
            architecture=facts.architecture or _measured_on(item),
            prompt_set=prompt_set(facts.task, item.root),
            root=item.root,
        )
        if faults := self.draft.part_faults(part):
            message = f"{'; '.join(faults)}; conversation left out"
            self.draft.error(item.place, message, cause=("part", *faults))
            return
        if not item.turns:
            self.draft.warn(item.place, f"conversation {shown(item.key)} has no turns")
        for turn, place in item.turns:
            reported = self._on_hardware(turn.reported, part.architecture, place)
            self.draft.add_turn(part, item.key, replace(turn, reported=reported), place)

    def _on_hardware(
        self, reported: Reported | None, architecture: str, place: Place
    ) -> Reported | None:
        """The figures with the GPU they were taken on; by default, PTXBench's own."""
        if reported is None or not reported.hardware:
            default = REPORTED_HARDWARE[architecture]
            return reported and replace(reported, hardware=default)
        if HARDWARE[reported.hardware].architecture == architecture:
            return reported
        message = f"figures of another architecture than {architecture}; left out"
        self.draft.warn(place, message, cause=("other architecture",))
        return None


def _measured_on(item: _Conversation) -> str:
    """The architecture of the first figures in a conversation; empty if it has none."""
    hardware = [turn.reported.hardware for turn, _place in item.turns if turn.reported]
    return next((HARDWARE[slug].architecture for slug in hardware if slug), "")
