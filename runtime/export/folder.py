"""Export folders: written file by file, the manifest last, and believed when every byte is right.

A reader opens the manifest first.  All files are written before the first is put in place: a
disk that fills leaves an old export whole.  While they are put in place there is no manifest,
and the export is refused.  What the old one had and the new one has not is removed last.
"""

from __future__ import annotations

import hashlib
import shlex
from codecs import BOM_UTF8
from collections.abc import Mapping
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import ExportError, JsonError, UstadError
from ustad.runtime.core.options import Option, WholeNumber
from ustad.runtime.core.strict_json import Fields, is_int, loads
from ustad.runtime.export.content import (
    DTYPES,
    ENCODING,
    Content,
    Packed,
    from_differences,
    to_differences,
)
from ustad.runtime.export.manifest import (
    FORMAT,
    FORMAT_VERSION,
    LARGEST_MANIFEST,
    is_sealed,
    manifest_text,
)
from ustad.runtime.export.replay import check_vectors
from ustad.tables import (
    CorruptTableError,
    MismatchedTableError,
    MissingTableError,
    TableError,
    TableWriteError,
    UnreadableTableError,
    escaped,
    reason_of,
    staged,
    table_files,
    write_file,
)

MANIFEST = "manifest.json"

SHARED = (
    "engine.js",
    "export.js",
    "chance.js",
    "errors.js",
    "digest.js",
    "facts.js",
    "review.js",
    "strength.js",
)
"""The modules that every reader imports."""

_ALIGNED = 8

_LARGEST_EXPORT = 200_000_000
"""Bytes of all files of the largest export that is read."""

_MOST_AXES = 8


def reader_files() -> dict[str, bytes]:
    """Return the JavaScript modules of all readers, by the names that an export gives them.

    A game's ``engine.js`` goes by the name of the game; the others keep theirs, those that
    games share lying in ``engine`` here and in ``five_dice``.
    """
    games = (folder for folder in files("ustad.runtime.games").iterdir() if folder.is_dir())
    found = {
        f"{folder.name}.js" if path.name == "engine.js" else path.name: path.read_bytes()
        for folder in (files(__package__) / "engine", *games)
        for path in folder.iterdir()
        if path.name.endswith(".js")
    }
    return dict(sorted(found.items()))


def _with_places(arrays: Mapping[str, Packed]) -> tuple[bytes, dict[str, dict[str, Any]]]:
    """Return the bytes of a file and where each of its arrays lies."""
    content, places = bytearray(), {}
    for name, packed in arrays.items():
        content += bytes(-len(content) % _ALIGNED)
        places[name] = {
            "dtype": packed.dtype,
            "shape": list(packed.numbers.shape),
            "at": len(content),
        }
        if packed.scale is not None:
            places[name] |= {"scale": packed.scale, "offset": packed.offset}
        if packed.differences:
            places[name]["differences"] = True
            content += to_differences(packed.numbers)
        else:
            content += packed.numbers.tobytes()
    return bytes(content), places


def _digests(contents: Mapping[str, bytes]) -> dict[str, dict[str, Any]]:
    """Return length, digest and sums of files by name."""
    return {
        name: {
            "bytes": len(held),
            "sha256": hashlib.sha256(held).hexdigest(),
            "sums": [word_sum(held, factor) for factor in SUM_FACTORS],
        }
        for name, held in contents.items()
    }


SUM_FACTORS = (0x01000193, 0x85EBCA6B)
"""Of the two sums by which an engine without ``crypto`` sees that a file is what was written."""

_WORDS_AT_ONCE = 1 << 18


def word_sum(content: bytes, factor: int) -> int:
    """Return a sum of 32-bit words, little-endian, zeros filled in: s = s * factor + word, from 0.

    It is taken modulo 2^32, an odd factor losing nothing: no change of one word goes unseen.

    >>> word_sum(bytes([1, 0, 0, 0, 2]), 5)
    7
    """
    words = np.frombuffer(content + bytes(-len(content) % 4), "<u4")
    total = 0
    for begin in range(0, len(words), _WORDS_AT_ONCE):
        part = words[begin : begin + _WORDS_AT_ONCE]
        powers = np.cumprod(np.full(len(part), factor, dtype=np.uint32), dtype=np.uint32)
        weights = np.concatenate([powers[:-1][::-1], np.ones(1, dtype=np.uint32)])
        added = int((part * weights).sum(dtype=np.uint32))
        total = (total * int(powers[-1]) + added) % 2**32
    return total


def rules_facts(entry: AnyEntry) -> dict[str, Any]:
    """Return what a manifest says of the rules of a game: its seats and its options."""
    return {"players": list(entry.rules.seats), "options": list(map(_option, entry.rules.options))}


def _option(option: Option) -> dict[str, Any]:
    """Return what an option may be."""
    found = {"name": option.name, "default": option.default, "choices": list(option.choices)}
    if isinstance(option, WholeNumber):
        found |= {"low": option.low, "high": option.high}
    return found


def sealed(
    entry: AnyEntry, content: Content, modules: Mapping[str, bytes]
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the manifest of an export and its binary files.

    Args:
        entry: the game.
        content: what it holds.
        modules: the JavaScript modules that are beside it.
    """
    written: dict[str, bytes] = {}
    places: dict[str, dict[str, Any]] = {}
    for name, arrays in content.files.items():
        written[name], found = _with_places(arrays)
        places |= {array: {"file": name, **place} for array, place in found.items()}
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "version": version("ustad"),
        "game": entry.name,
        "title": entry.title,
        "options": dict(content.options),
        "rules": rules_facts(entry),
        **content.facts,
        "levels": dict(content.levels),
        "reader": _digests(modules),
        "files": _digests(written),
        "encoding": ENCODING,
        "arrays": places,
        "proof": dict(content.proof),
        "vectors": list(content.vectors),
    }
    return manifest, written


def write_export(entry: AnyEntry, content: Content, out: Path) -> dict[str, int]:
    """Write an export into a folder, made if it is not there.

    Args:
        entry: the game.
        content: what to write.
        out: the folder; files of the same names are replaced, other files of an export that
            was there before are removed.

    Returns:
        The bytes of each file, by name.

    Raises:
        ExportError: the folder cannot be written or is full.
    """
    modules = reader_files()
    names = (*content.reader, *SHARED)
    manifest, written = sealed(entry, content, {name: modules[name] for name in names})
    written |= {name: modules[name] for name in names}
    written[MANIFEST] = manifest_text(manifest).encode()
    before = _own_files(out)
    try:
        with staged(out, MANIFEST) as stage:
            for name, held in written.items():
                write_file(stage / name, partial(_write, held))
    except TableWriteError as error:
        raise ExportError(f"{out}: cannot be written: {error.reason}") from error
    for name in before - written.keys():
        _remove(out / name)
    return {name: len(held) for name, held in written.items()}


def _write(content: bytes, file: IO[bytes]) -> None:
    file.write(content)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise ExportError(f"{path}: cannot be removed: {reason_of(error)}") from error


def _own_files(folder: Path) -> set[str]:
    """Return the names of the files of an export that a folder holds, sound or not."""
    try:
        text = _read(folder / MANIFEST, LARGEST_MANIFEST, "an export", "")
        manifest = loads(text.decode(), "manifest", LARGEST_MANIFEST)
        listed = {*manifest["files"], *manifest["reader"]} if manifest["format"] == FORMAT else ()
    except (UstadError, TableError, ValueError, LookupError, TypeError, RecursionError):
        return set()
    return set(filter(_is_own, listed))


def _is_own(name: str) -> bool:
    """Tell whether a file of an export, other than the manifest, may have this name."""
    return Path(name).name == name and (name.endswith(".bin") or name in reader_files())


# Reading, to check what was written.


def is_export(folder: Path) -> bool:
    """Tell whether a folder is an export, even if a part of it, the manifest too, is missing."""
    try:
        names = {path.name for path in folder.iterdir()}
    except OSError:
        return False
    return MANIFEST in names or any(map(_is_own, names))


def export_faults(folder: Path) -> dict[Path, str | None]:
    """Return what is wrong with each file of an export, None for what is right, byte for byte.

    Files that no export has there are faults too, but tables and hidden files.
    """
    try:
        manifest = check_export(folder)
        _check_readers(folder, manifest)
        check_vectors(folder, manifest, reader_files())
    except TableError as error:
        return {folder / MANIFEST: str(error)}
    own = {MANIFEST, *manifest["files"], *manifest["reader"]}
    found: dict[Path, str | None] = dict.fromkeys(folder / name for name in own)
    tables = table_files(folder)
    for path in sorted(folder.iterdir()):
        foreign = path not in found and path not in tables and not path.is_dir()
        if foreign and not path.name.startswith("."):
            found[path] = escaped(
                f"{path}: expected the files that {MANIFEST} names, got another; remove it"
            )
    return found


def _check_readers(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Raise MismatchedTableError unless an export has readers, and they are the package's own."""
    own, remedy = reader_files(), _remedy(folder)
    expected = {name: held for name, held in _digests(own).items() if name in manifest["reader"]}
    if not expected or expected != manifest["reader"]:
        other = [name for name, held in manifest["reader"].items() if expected.get(name) != held]
        found = ", ".join(sorted(other)) or "none"
        raise MismatchedTableError(folder / MANIFEST, "the readers of this version", found, remedy)


def _remedy(folder: Path) -> str:
    """Return the command that writes an export anew."""
    return shlex.join(["ustad", "export", "GAME", "--out", str(folder)])


def read_export(folder: Path) -> tuple[dict[str, Any], dict[str, Packed]]:
    """Return the manifest and the arrays of an export, every byte of it checked.

    Raises:
        MissingTableError: there is no manifest, or a file that it names is missing.
        CorruptTableError: a file is not what was written.
        MismatchedTableError: it is an export of another version.
    """
    path, remedy = folder / MANIFEST, _remedy(folder)
    text = _read(path, LARGEST_MANIFEST, "an export", remedy)
    try:
        if text.startswith(BOM_UTF8):
            raise JsonError("manifest: it begins with a byte-order mark, which was not written")
        manifest = loads(text.decode(), "manifest", LARGEST_MANIFEST)
        fields = Fields(manifest, "manifest", JsonError)
        found = fields.take("format"), fields.take("format_version")
        if found != (FORMAT, FORMAT_VERSION):
            raise _other_version(path, found, manifest.get("version"))
        if not is_sealed(text):
            line_ends = is_sealed(text.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
            why = (
                "its line ends were changed; copy it as bytes" if line_ends else "its bytes changed"
            )
            raise JsonError(f"manifest: its digest is wrong: {why}")
        listed = {**manifest["files"], **manifest["reader"]}
        _check_sizes(listed)
        contents = {name: _checked(folder, name, held, remedy) for name, held in listed.items()}
        arrays, room = {}, sum(map(len, contents.values()))
        for name, place in manifest["arrays"].items():
            arrays[name] = _array(place, contents[place["file"]])
            room -= arrays[name].numbers.nbytes
            if room < 0:
                raise JsonError("manifest: arrays: they are more than the files hold")
    except (
        UstadError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CorruptTableError(path, "a sound manifest", reason, remedy) from None
    return manifest, arrays


def _other_version(path: Path, found: tuple[Any, Any], writer: Any) -> MismatchedTableError:
    """Return the error on a manifest of another format."""
    name, number = found
    newer = name == FORMAT and is_int(number, FORMAT_VERSION + 1, 2**53)
    remedy = "pip install --upgrade ustad" if newer else _remedy(path.parent)
    by = f", written by ustad {writer}" if isinstance(writer, str) else ""
    return MismatchedTableError(path, f"{FORMAT} {FORMAT_VERSION}", f"{name} {number}{by}", remedy)


def check_export(folder: Path) -> dict[str, Any]:
    """Return the manifest of an export after checking every byte; see :func:`read_export`."""
    return read_export(folder)[0]


def _check_sizes(listed: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise JsonError unless the files of an export are small enough to read."""
    sizes = [held["bytes"] for held in listed.values()]
    if not all(is_int(size, 0, _LARGEST_EXPORT) for size in sizes) or sum(sizes) > _LARGEST_EXPORT:
        raise JsonError(f"manifest: files: expected {_LARGEST_EXPORT} bytes at most in all")


def _plain(name: str) -> str:
    """Return the name of a file if it stays in its folder."""
    if not isinstance(name, str) or Path(name).name != name:
        raise JsonError(f"manifest: {name!r} is no name of a file in this folder")
    return name


def _read(path: Path, most: int, what: str, remedy: str) -> bytes:
    """Return the bytes of a file of at most so many."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise OSError("not a file")  # a pipe would be waited for
        with path.open("rb") as file:
            content = file.read(most + 1)
    except FileNotFoundError:
        raise MissingTableError(path, what, remedy) from None
    except OSError as error:
        raise UnreadableTableError(path, reason_of(error)) from None
    if len(content) > most:
        raise CorruptTableError(path, f"at most {most} bytes", "more", remedy)
    return content


def _checked(folder: Path, name: str, held: Mapping[str, Any], remedy: str) -> bytes:
    """Return the bytes of a binary file, its length and digest being right."""
    path = folder / _plain(name)
    content = _read(path, held["bytes"], name, remedy)
    found = hashlib.sha256(content).hexdigest()
    if found != held["sha256"]:
        raise CorruptTableError(path, f"digest {held['sha256'][:16]}", found[:16], remedy)
    return content


def _array(place: Mapping[str, Any], content: bytes) -> Packed:
    """Return an array after checking that it lies in its file."""
    dtype = np.dtype(DTYPES[place["dtype"]])
    if len(place["shape"]) > _MOST_AXES:
        raise JsonError(f"manifest: arrays: a shape of {len(place['shape'])} axes")
    count = 1
    for side in place["shape"]:
        if not is_int(side, 0, len(content)):
            raise JsonError(f"manifest: arrays: shape {place['shape']}")
        count *= side
    at = place["at"]
    if not is_int(at, 0, len(content)) or at % _ALIGNED:
        raise JsonError(f"manifest: arrays: at {at!r}")
    if at + count * dtype.itemsize > len(content):
        raise JsonError("manifest: arrays: an array lies outside of its file")
    differences = place.get("differences", False)
    if differences is not False and (differences is not True or dtype != np.uint16 or not count):
        raise JsonError(f"manifest: arrays: differences {differences!r} of {count} {dtype}")
    held = content[at : at + count * dtype.itemsize]
    numbers: NDArray[Any] = (
        from_differences(held, place["shape"])
        if differences
        else np.frombuffer(held, dtype).reshape(place["shape"])
    )
    if "scale" not in place:
        return Packed(numbers, differences=differences)
    return Packed(numbers, float(place["scale"]), float(place["offset"]), differences)
