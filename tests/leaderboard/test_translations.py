"""The Spanish texts: complete, compiled, and the same as what the pages and Python say."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polib
import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils import translation

from evaluation.tasks import FAMILIES, load_catalog
from leaderboard.templatetags.figures import chart_data
from leaderboard.words import family_title, task_title

ROOT = Path(__file__).parents[2]
MESSAGES = ROOT / "leaderboard" / "locale" / "es" / "LC_MESSAGES"
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%%")
MARKUP = re.compile(r"</?\w+[^>]*>")

ADDRESSES = [
    "/",
    "/?arch=blackwell",
    "/models/claude-opus-4-8/",
    "/tasks/gemm_n7168_k5120/",
    "/compare/",
    "/compare/?m=claude-opus-4-8&m=gemini-3-1-pro",
    "/failures/?stage=syntax",
    "/runs/opus48-gemm/",
    "/methodology/",
    "/nowhere/",
]
ENGLISH = re.compile(
    r"Frontier share|frontier share|Leaderboard|Turn limit|Methodology|Attention (for|back)ward"
    r"|\b(reported|trajectories|prompt set|library|slower than|There is no)\b"
)
"""Words of the site's English; names of models, tasks and parameters hold none of them."""


@pytest.fixture(scope="module")
def spanish() -> polib.POFile:
    return polib.pofile(str(MESSAGES / "django.po"))


def _texts(entry: polib.POEntry) -> list[str]:
    """What an entry says in Spanish, in every plural form."""
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


def _sayings(entries: polib.POFile | polib.MOFile) -> dict[tuple[str, ...], list[str]]:
    return {
        (entry.msgctxt or "", entry.msgid, entry.msgid_plural or ""): _texts(entry)
        for entry in entries
    }


def test_every_text_is_translated(spanish: polib.POFile) -> None:
    assert len(spanish) > 500
    assert [e.msgid for e in spanish if not all(text.strip() for text in _texts(e))] == []
    assert [e.msgid for e in spanish if e.fuzzy] == []
    assert [e.msgid for e in spanish.obsolete_entries()] == []


def test_every_plural_has_all_forms(spanish: polib.POFile) -> None:
    forms = re.match(r"nplurals=(\d+)", spanish.metadata["Plural-Forms"])
    assert forms
    wanted = list(range(int(forms[1])))
    plurals = [entry for entry in spanish if entry.msgid_plural]
    assert plurals
    assert [e.msgid for e in plurals if sorted(e.msgstr_plural) != wanted] == []


def test_nothing_in_the_header_changes_with_the_day(spanish: polib.POFile) -> None:
    assert not {"POT-Creation-Date", "PO-Revision-Date", "Last-Translator"} & set(spanish.metadata)


def test_the_compiled_texts_are_the_written_ones(spanish: polib.POFile) -> None:
    compiled = polib.mofile(str(MESSAGES / "django.mo"))
    assert _sayings(compiled) == _sayings(spanish)


def test_placeholders_and_markup_agree(spanish: polib.POFile) -> None:
    assert [entry.msgid for entry in spanish if _disagrees(entry)] == []


def _disagrees(entry: polib.POEntry) -> bool:
    for form, text in enumerate(_texts(entry)):
        # Every form may hold what the plural holds; the first may leave the number out.
        source = entry.msgid_plural if entry.msgid_plural and form else entry.msgid
        for pattern in (PLACEHOLDER, MARKUP):
            if Counter(pattern.findall(text)) != Counter(pattern.findall(source)):
                return True
    return False


@pytest.mark.parametrize(
    ("source", "text", "wrong"),
    [
        ("%(k)d of %(n)d", "%(k)d de %(n)d", False),
        ("%(k)d of %(n)d", "%(n)d: %(k)d", False),
        ("%(k)d of %(n)d", "%(k)d de %(m)d", True),
        ("95%% of %(n)d", "95% de %(n)d", True),
        ("<a href>here</a>", "<a href>aquí", True),
    ],
)
def test_disagreements_are_found(source: str, text: str, wrong: bool) -> None:
    assert _disagrees(polib.POEntry(msgid=source, msgstr=text)) is wrong


@pytest.fixture
def sources(tmp_path: Path) -> Iterator[Path]:
    """A copy of everything that can hold a text, with an empty folder for its messages."""
    if shutil.which("xgettext") is None:
        message = "GNU gettext is not installed. On Debian: apt-get install gettext"
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(message)
        pytest.skip(message)
    ignored = shutil.ignore_patterns("__pycache__", "locale")
    for name in ("leaderboard", "frontend_templates"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copy(ROOT / "manage.py", tmp_path)
    (tmp_path / "leaderboard" / "locale").mkdir()
    yield tmp_path


def test_every_marked_text_is_in_the_file(spanish: polib.POFile, sources: Path) -> None:
    # The packages come from here, the texts from the copy: `evaluation` has none.
    shutil.copytree(ROOT / "evaluation", sources / "evaluation", dirs_exist_ok=True)
    command = [sys.executable, "manage.py", "makemessages", "--locale", "es", "--no-location"]
    environment = os.environ | {"STATE_DIR": str(sources / "var")}
    made = subprocess.run(command, cwd=sources, env=environment, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    path = sources / "leaderboard" / "locale" / "es" / "LC_MESSAGES" / "django.po"
    marked = set(_sayings(polib.pofile(str(path))))
    assert marked == set(_sayings(spanish)), "run `make translations` and translate what is new"


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_spanish_page_is_spanish(client: Client, bundled: None, address: str) -> None:
    html = client.get(address, headers={"accept-language": "es"}).content.decode()
    assert '<html lang="es">' in html
    # What stays English says so, as the reference source does.
    foreign = r'<(\w+)[^>]* lang="en"[^>]*>.*?</\1>'
    spanish = re.sub(foreign, "", html.partition("<head>")[2], flags=re.DOTALL)
    said = re.sub(r'<[^>]*?(?:(?:title|aria-label|content)="([^"]*)"[^>]*)?>', r" \1 ", spanish)
    assert ENGLISH.findall(said) == []


def test_the_error_page_names_its_language() -> None:
    with translation.override("es"):
        html = render_to_string("500.html")
    assert '<html lang="es">' in html
    assert "Algo ha fallado aquí" in html


def test_titles_of_tasks_and_families_are_said_in_spanish() -> None:
    with translation.override("es"):
        titles = [task_title(name) for name in load_catalog()]
        titles += [family_title(name) for name in FAMILIES]
    assert "Atención, paso inverso, d=128, causal" in titles
    assert "Atención con consultas agrupadas" in titles
    assert not re.search(r"Attention|paged|ragged|forward|backward", " ".join(titles))


def test_numbers_follow_the_language_in_choices_and_charts(client: Client, bundled: None) -> None:
    html = client.get("/", headers={"accept-language": "es"}).content.decode()
    assert '<option value="0.5" selected>0,5×</option>' in html
    with translation.override("es"):
        assert '"separators":",\\u00a0"' in chart_data({"data": []})
    with translation.override("en"):
        assert '"separators":".,"' in chart_data({"data": []})


def test_an_unknown_task_is_refused_in_spanish(client: Client, bundled: None) -> None:
    response = client.get("/?tasks=zz", headers={"accept-language": "es"})
    assert response.status_code == 400
    assert "Valor desconocido: «zz». Se conocen: core, gemm, " in response.content.decode()
