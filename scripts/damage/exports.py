"""Damaged exports and bundles: each must be refused, by Python and by the readers in JavaScript.

Files of an export are cut at every array, flipped, lengthened, packed, taken away or exchanged
for another game's; manifests are changed as text, and changed under a right digest: counts
without end, places outside of files, names of other folders.  A manifest that lies under a
right digest about what nobody can check may open, and nothing else that is not byte for byte
what was written; nothing may crash, hang or take memory.
Bundles are damaged in the same ways.  Positions are changed and asked: what a JavaScript
reader answers, Python must answer with the same value, and of the games with a sheet, where
an export holds all positions, what it refuses Python must refuse.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from damage.accidents import accident
from damage.report import LONGEST_WAIT, Progress, Report, peak_memory, peak_of
from damage.texts import HOSTILE_TEXTS, changed
from ustad.runtime.checks import folder_faults
from ustad.runtime.core.errors import UstadError
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.core.registry import exporter
from ustad.runtime.export import MANIFEST, read_export, write_export
from ustad.runtime.export.manifest import LARGEST_MANIFEST, manifest_text
from ustad.runtime.questions import Advisor
from ustad.tables import TableError, TableSpec, open_table, write_bundle

REFUSED = {"corrupt_table", "mismatched_table", "missing_table", "unreadable", "corrupt_export",
           "mismatched_export"}  # fmt: skip
"""What damage may be refused as."""

OUTLOOK = "outlook.bin"
"""The file that a reader can do without."""

SYSTEMATIC = 0.4
"""The share of cases that are systematic rather than random, if so many there are."""

ASKED, BUNDLES = 0.3, 0.2
"""The shares of the random cases that are positions to be asked, and bundles."""

ALLOWED = {"expected_total": 0.005, "win_share": 0.001, "margin": 0.0}
"""By how much an answer of rounded values may be off, by unit."""

Changes = Mapping[str, bytes | None]
"""New contents of files by name, None for a file that is taken away."""

Case = tuple[str, Callable[[], Changes]]
"""What is damaged, and what makes the damage."""


@dataclass(frozen=True)
class Sound:
    """An export or a bundle as it was written: the contents of its files by name."""

    files: Mapping[str, bytes]

    @classmethod
    def of(cls, folder: Path) -> Sound:
        """Return what is in a folder."""
        return cls({path.name: path.read_bytes() for path in sorted(folder.iterdir())})

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest of an export."""
        found: dict[str, Any] = json.loads(self.files[MANIFEST])
        return found

    def regions(self, name: str) -> set[int]:
        """Return where the parts of a file begin and end: arrays, or keys of the manifest."""
        content = self.files[name]
        if name.endswith(".js"):
            return {0, len(content) // 2, len(content)}
        if not name.endswith(".bin"):
            return {at + 1 for at, byte in enumerate(content) if byte == 10}
        places = [place for place in self.manifest["arrays"].values() if place["file"] == name]
        return {place["at"] for place in places} | {0, len(content)}


def make_export(spec: TableSpec, tables: Path, out: Path) -> Sound:
    """Export a table that is built, with the proof of its rounding."""
    content = exporter(spec.game).content(spec.options, tables, None)
    write_export(entry_of(spec.game), content, out)
    return Sound.of(out)


# Damage.


def cut(content: bytes, size: int) -> bytes:
    """Return the begin of a file."""
    return content[:size]


DAMAGE: Mapping[str, Callable[[bytes], bytes]] = {
    "twice": lambda content: content * 2,
    "and a byte": lambda content: content + b"\0",
    "packed": lambda content: gzip.compress(content, 1),
    "in another code page": lambda content: content.decode("latin-1").encode("utf-16"),
}


def file_damage(sound: Sound, others: Sequence[Sound]) -> Iterator[Case]:
    """Yield the damage that is done to every file."""

    def with_file(name: str, make: Callable[[bytes], bytes | None]) -> Callable[[], Changes]:
        return lambda: {name: make(sound.files[name])}

    for name, content in sound.files.items():
        for at in sorted(sound.regions(name)):
            for size in {max(at - 1, 0), at, at + 1} - {len(content)}:
                yield f"{name} cut at {size}", with_file(name, partial(cut, size=size))
        yield f"no {name}", with_file(name, lambda content: None)
        for how, damage in DAMAGE.items():
            yield f"{name} {how}", with_file(name, damage)
        for other in others:
            if name in other.files:
                yield f"another export's {name}", partial(dict, {name: other.files[name]})


def random_damage(sound: Sound, luck: random.Random) -> Case:
    """Return a damage by accident to one of the files."""
    name = luck.choice(list(sound.files))
    what, content = accident(sound.files[name], luck)
    return f"{name}: {what}", lambda: {name: content}


def manifest_damage(sound: Sound) -> Iterator[Case]:
    """Yield manifests that are no JSON, or that lie about what their files hold."""
    text = sound.files[MANIFEST].decode()
    first = text.index("\n") + 1
    end = text.index("\n", first) + 1
    texts: dict[str, Callable[[], bytes]] = {
        "a key twice": lambda: (text[:end] + text[first:end] + text[end:]).encode(),
        "deep": lambda: b'{"a":' * 100_000,
        "of brackets": lambda: b"[" * 1_000_000,
        "huge": lambda: b" " * (LARGEST_MANIFEST + 1) + text.encode(),
        "of text": lambda: b'"' + b"x" * LARGEST_MANIFEST + b'"',
    }
    for hostile in HOSTILE_TEXTS:
        known = f'"options": {hostile}, "more": '
        texts[f"with {hostile[:20]!r}"] = partial(encoded, text[:-2] + hostile + "}")
        texts[f"with options {hostile[:20]!r}"] = partial(
            encoded, text.replace('"options": ', known, 1)
        )

    def lie(change: Callable[[dict[str, Any]], None]) -> bytes:
        manifest = json.loads(text)
        change(manifest)
        return manifest_text(manifest).encode()

    def manifest(make: Callable[[], bytes]) -> Callable[[], Changes]:
        return lambda: {MANIFEST: make()}

    for what, make in texts.items():
        yield f"manifest {what}", manifest(make)
    for what, change in LIES.items():
        yield f"sealed: {what}", manifest(partial(lie, change))


def encoded(text: str) -> bytes:
    """Return a text in UTF-8, what is no text included."""
    return text.encode("utf-8", "surrogatepass")


def _array(**lies: Any) -> Callable[[dict[str, Any]], None]:
    def change(manifest: dict[str, Any]) -> None:
        for place in manifest["arrays"].values():
            place.update(lies)

    return change


def _file(name: str | None = None, **lies: Any) -> Callable[[dict[str, Any]], None]:
    def change(manifest: dict[str, Any]) -> None:
        first = next(iter(manifest["files"]))
        held = manifest["files"].pop(first)
        manifest["files"] = {name or first: {**held, **lies}, **manifest["files"]}

    return change


def _key(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(manifest: dict[str, Any]) -> None:
        held = manifest
        *way, last = name.split("/")
        for key in way:
            held = held.setdefault(key, {})
        held[last] = value

    return change


LIES: Mapping[str, Callable[[dict[str, Any]], None]] = {
    "an older format": _key("format_version", 0),
    "a newer format": _key("format_version", 3),
    "another format": _key("format", "ustad table"),
    "ten gigabytes": _file(bytes=10**10),
    "a file without end": _file(bytes=2**53),
    "a file elsewhere": _file(name="../../etc/passwd"),
    "a device": _file(name="/dev/zero", bytes=10**8),
    "no files": _key("files", {}),
    "an array without end": _array(shape=[10**10]),
    "shapes that multiply": _array(shape=[10**5] * 4),
    "a shape of nothing": _array(shape=[]),
    "a shape below nothing": _array(shape=[-1, -1]),
    "an array before its file": _array(at=-8),
    "an array beyond its file": _array(at=2**40),
    "a shape of axes without end": _array(shape=[99] * 1_000_000),
    "an array at no byte": _array(at=0.5),
    "an unknown type": _array(dtype="complex128"),
    "a type of JavaScript": _array(dtype="__proto__"),
    "differences of anything": _array(differences=True),
    "arrays of no file": _array(file="toString"),
    "thousands of arrays": lambda manifest: manifest["arrays"].update(
        {f"a{number}": manifest["arrays"]["values"] for number in range(20_000)}
    ),
    "chips without end": _key("options/chips", 2**53),
    "players without end": _key("options/players", 2**53),
    "turns without end": _key("turn/rolls_a_turn", 2**53),
    "boxes without end": _key("sheet/counting", 2**31),
    "keeps without end": _key("turn/keeps", [[]] * 200_000),
    "holes without end": _key("raja_pasu/holes", 2**53),
    "knots without end": _key("outlook/knots", 2**53),
    "no sheet": _key("sheet", None),
    "no reader": _key("reader", {}),
    "readers of another kind": _key("reader", ["sheet.js"]),
    "no levels": _key("levels", None),
    "no vectors": _key("vectors", []),
    "files without end": lambda manifest: manifest["files"].update(
        {f"{number}.bin": {"bytes": 199_000_000, "sha256": "0" * 64} for number in range(20)}
    ),
}  # fmt: skip
"""What a manifest may say that is not so."""


def random_lie(sound: Sound, luck: random.Random) -> Case:
    """Return a manifest changed somewhere under a right digest, if it can have one."""
    manifest = dict(sound.manifest)
    key = luck.choice([key for key in manifest if key not in ("sha256", "vectors")])
    manifest.update(changed({key: manifest[key]}, luck))
    try:
        text = manifest_text(manifest).encode()
    except (ValueError, RecursionError):
        text = json.dumps(manifest).encode()
    return f"sealed: {key} changed", lambda: {MANIFEST: text}


# Readers.


class Node:
    """The readers in JavaScript, in one process that answers a line for each line.

    Args:
        node: the program.
        sounds: the exports whose readers are used, by name, in their folders.
    """

    def __init__(self, node: str, sounds: Mapping[str, Path]) -> None:
        script = Path(__file__).with_name("read_export.mjs")
        self.command = [node, str(script), *(f"{name}={at}" for name, at in sounds.items())]
        self.peak = 0.0
        self._start()

    def _start(self) -> None:
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request; a process that hangs or ends answers ``crash``.

        Another one takes its place.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        watch = threading.Timer(LONGEST_WAIT, self.process.kill)
        watch.start()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        line = self.process.stdout.readline()
        watch.cancel()
        if line:
            found: dict[str, Any] = json.loads(line)
            return found
        self.close()
        self._start()
        return {"crash": "it ended or hangs"}

    def close(self) -> None:
        """End the process, after noting the bytes that it took at its peak."""
        self.peak = max(self.peak, peak_of(self.process.pid))
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.wait(LONGEST_WAIT)


@contextlib.contextmanager
def damaged(sound: Sound, changes: Changes, folder: Path) -> Iterator[None]:
    """Let a folder hold other files for a while."""
    for file, content in changes.items():
        (folder / file).unlink(missing_ok=True)
        if content is not None:
            (folder / file).write_bytes(content)
    yield
    for file in changes:
        (folder / file).write_bytes(sound.files[file])


def check_export_case(
    name: str, sound: Sound, case: Case, folder: Path, node: Node | None, report: Report
) -> None:
    """Give a damaged export to every reader.

    Args:
        name: of the sound export.
        sound: the export.
        case: what is damaged.
        folder: holds the export, and after the check again.
        node: the readers in JavaScript, None if they are not to be run.
        report: is told.
    """
    what, make = case
    changes = make()
    if all(sound.files[file] == content for file, content in changes.items()):
        return
    report.cases += 1
    with damaged(sound, changes, folder):
        _check_readers(name, what, changes, folder, node, report)


def _check_readers(
    name: str,
    what: str,
    changes: Changes,
    folder: Path,
    node: Node | None,
    report: Report,
) -> None:
    """Give a folder with a damaged export to every reader."""
    where = f"{name}: {what}"
    may_open = what.startswith("sealed: ")
    try:
        read_export(folder)
    except TableError as error:
        _note_refusal(error.kind, str(error), where, report)
    except Exception as error:
        report.faults.append(f"{where}: {type(error).__name__}: {error}")
    else:
        report.answers["opened"] += 1
        report.check(may_open, f"{where}: opened")
    if node is not None and any(not file.endswith(".js") for file in changes):
        told = node.ask({"open": name, "folder": str(folder)})
        if "kind" in told:
            _note_refusal(told["kind"], told["message"], where, report)
        elif "crash" in told:
            report.faults.append(f"{where}: JavaScript: {told['crash']}")
        else:
            # Without the outlook's file yacht's reader plays for the total alone.
            without = changes == {OUTLOOK: None}
            report.answers["opened"] += 1
            report.check(may_open or without, f"{where}: JavaScript: opened")


def _note_refusal(kind: str, message: str, where: str, report: Report) -> None:
    report.answers[kind] += 1
    right = kind in REFUSED and "\n" not in message and len(message) < 2000
    report.check(right, f"{where}: {kind}: {message[:300]}")


def as_in_javascript(value: Any) -> Any:
    """Return a JSON value as JavaScript sees it, where 2.0 and -0.0 are whole numbers."""

    def number(text: str) -> int | float:
        found = float(text)
        return int(found) if found.is_integer() else found

    return json.loads(json.dumps(value), parse_float=number)


ANSWERS_NOT = ("position", "option", "usage", "json", "missing_table")
"""The kinds of errors by which a reader refuses a position."""


def check_position(
    name: str, position: Any, level: str, node: Node, advisor: Advisor, report: Report
) -> None:
    """Ask a reader about a position; Python must say the same of what is answered."""
    report.cases += 1
    where = f"{name}: {json.dumps(position)[:400]}"
    told = node.ask({"ask": name, "position": position, "level": level})
    if "kind" in told:
        report.answers[f"{told['kind']} refused"] += 1
        right = told["kind"] in ANSWERS_NOT and len(told["message"]) < 2000
        report.check(right, f"{where}: {told}")
        if told["kind"] == "position" and isinstance(position, dict) and "sheets" in position:
            with contextlib.suppress(UstadError):
                advisor.ask(position, level)
                report.faults.append(f"{where}: {told}, Python answers")
        return
    if "crash" in told:
        report.faults.append(f"{where}: JavaScript: {told['crash']}")
        return
    report.answers["answered"] += 1
    if told.get("exact") is False:
        return  # found by a search that may have stopped before Python's
    try:
        true = advisor.ask(position, level)
    except (UstadError, TableError) as error:
        report.faults.append(f"{where}: answered {told['best']}, Python: {error}")
        return
    off = abs(true["value"] - told["value"])
    report.check(off <= ALLOWED[true["unit"]] + 1e-9, f"{where}: {told}, not {true['value']}")


def check_bundle(sound: Sound, case: Case, folder: Path, report: Report) -> None:
    """See that ``ustad verify`` finds what is damaged in a bundle."""
    what, make = case
    changes = make()
    if all(sound.files[file] == content for file, content in changes.items()):
        return
    report.cases += 1
    with damaged(sound, changes, folder):
        try:
            faults = [fault for fault in folder_faults(folder).values() if fault is not None]
        except Exception as error:
            report.faults.append(f"bundle: {what}: {type(error).__name__}: {error}")
            return
    report.answers["corrupt_bundle"] += 1
    report.check(bool(faults), f"bundle: {what}: nothing found")
    report.check(not any("\n" in fault for fault in faults), f"bundle: {what}: {faults}")


@dataclass(frozen=True)
class Bench:
    """Sound exports and a bundle, and copies of them to damage.

    Attributes:
        sounds: the exports, by name.
        copies: the folders of their copies.
        bundled: the bundle.
        bundle: its folder, which is damaged itself.
        advisor: answers as Python does.
        node: answers as JavaScript does, None if Node is not installed.
    """

    sounds: Mapping[str, Sound]
    copies: Mapping[str, Path]
    bundled: Sound
    bundle: Path
    advisor: Advisor
    node: Node | None

    @classmethod
    def make(
        cls, specs: Sequence[TableSpec], tables: Path, root: Path, progress: Progress
    ) -> Bench:
        """Export these tables and bundle the two smallest, in a folder."""
        sounds: dict[str, Sound] = {}
        for spec in specs:
            progress(0, f"exporting {spec.what}")
            sounds[spec.what] = make_export(spec, tables, root / "sound" / spec.what)
            shutil.copytree(root / "sound" / spec.what, root / "copies" / spec.what)
        small = sorted(specs, key=lambda spec: spec.path(tables).stat().st_size)[:2]
        write_bundle([open_table(spec, tables) for spec in small], root / "bundle")
        program = shutil.which("node")
        places = {name: root / "sound" / name for name in sounds}
        return cls(
            sounds,
            {name: root / "copies" / name for name in sounds},
            Sound.of(root / "bundle"),
            root / "bundle",
            Advisor(tables),
            None if program is None else Node(program, places),
        )

    def systematic(self) -> list[tuple[str, Case]]:
        """Return all that is done to every export, with the name of the export."""
        found: list[tuple[str, Case]] = []
        for name, sound in self.sounds.items():
            others = [other for other in self.sounds.values() if other is not sound]
            found += [(name, case) for case in file_damage(sound, others)]
            found += [(name, case) for case in manifest_damage(sound)]
        return found

    def check(self, name: str, case: Case, report: Report) -> None:
        """Give a damaged export to every reader."""
        check_export_case(name, self.sounds[name], case, self.copies[name], self.node, report)

    def check_random(self, name: str, luck: random.Random, report: Report) -> None:
        """Ask a position, or damage an export or the bundle, by chance."""
        sound, kind = self.sounds[name], luck.random()
        if kind < ASKED and self.node is not None and sound.manifest["game"] != "marriage":
            vector = luck.choice(sound.manifest["vectors"])
            position = as_in_javascript(changed(vector["position"], luck))
            level = vector.get("level", "expert")
            check_position(name, position, level, self.node, self.advisor, report)
        elif kind > 1 - BUNDLES:
            check_bundle(self.bundled, random_damage(self.bundled, luck), self.bundle, report)
        else:
            damage = random_lie if luck.random() < 0.4 else random_damage
            self.check(name, damage(sound, luck), report)


def damage_exports(
    specs: Sequence[TableSpec], tables: Path, count: int, seed: int, progress: Progress
) -> Report:
    """Damage exports, bundles and positions and see that every reader refuses them.

    Args:
        specs: the tables to export, built in the folder.
        tables: where they are.
        count: how many cases; those that are systematic come first.
        seed: what they are drawn from.
        progress: called before each case.
    """
    report, luck = Report(), random.Random(seed)
    with tempfile.TemporaryDirectory() as root:
        bench = Bench.make(specs, tables, Path(root), progress)
        given = bench.systematic()
        for name, case in given:
            if luck.random() < SYSTEMATIC * count / len(given):
                progress(report.cases, f"{name}: {case[0]}")
                bench.check(name, case, report)
        while report.cases < count:
            name = luck.choice(list(bench.sounds))
            progress(report.cases, name)
            bench.check_random(name, luck, report)
        report.peak = peak_memory()
        if bench.node is None:
            report.answers["no node here: the readers in JavaScript were not run"] += 1
        else:
            bench.node.close()
            report.peak = max(report.peak, bench.node.peak)
    return report
