"""Files that are no text, no JSON, no plain file, or far too much of it: all are refused."""

from __future__ import annotations

import json
import os

from hostile.making import Hostile, edit, put, raw, ses, text
from hostile.payloads import MARK

MIB = 1 << 20


def special(name, make):
    """What is no plain file stands in the place of the file."""
    return Hostile(name, lambda path, _: make(path), "G201")


GIANT = [
    raw("65 MiB and one byte of blanks", lambda _: b" " * (65 * MIB + 1), "G202"),
    raw("65 MiB of a session and blanks", lambda h: json.dumps(h.fine).encode() + b" " * 65 * MIB, "G202"),
    raw("one string of 30 MiB", lambda _: b'{"schema": 1, "version": "' + b"x" * 30 * MIB + b'"}', "G205"),
    raw("one key of 30 MiB", lambda _: b'{"schema": 1, "' + b"x" * 30 * MIB + b'": 1}', "G205"),
    raw("a million trials of nothing", lambda _: b'{"schema": 1, "sessions": [{"trials": [' + b"{}," * 10**6 + b"{}]}]}", "G205"),
    raw("200000 sessions of nothing", lambda _: b'{"schema": 1, "version": "", "sessions": [' + b"{}," * 199_999 + b"{}]}", "G206"),
    raw("4 lists of 200000 ones", lambda _: b'{"schema": 1, "version": "", "sessions": [' + b",".join(b'{"trials": [' + b"1," * 199_999 + b"1]}" for _ in range(4)) + b"]}", "G206"),
    raw("a million keys", lambda _: b'{"schema": 1' + b"".join(b',"k%d":1' % i for i in range(10**6)) + b"}", "G205"),
    raw("19000 unknown keys in each of 8 tables", lambda _: b'{"schema": 1, "sessions": [' + b",".join(b"{" + b",".join(b'"k%d":1' % i for i in range(19_000)) + b"}" for _ in range(8)) + b"]}", "G206"),
    raw("22 million empty lists", lambda _: b"[" + b"[]," * 21_000_000 + b"[]]", "G205"),
    raw("16 million empty tables", lambda _: b"[" + b"{}," * 16_000_000 + b"{}]", "G205"),
    raw("30 million ones", lambda _: b'{"schema": [' + b"1," * 30_000_000 + b"1]}", "G205"),
]  # fmt: skip
"""Files of which a few kB or MB would take all memory or time, were they trusted."""

WORST = [
    raw("20 lists of 200000 ones", lambda _: b'{"schema": 1, "version": "", "sessions": [' + b",".join(b'{"trials": [' + b"1," * 199_999 + b"1]}" for _ in range(20)) + b"]}", "G206"),
    raw("19000 unknown keys in each of 50 tables", lambda _: b'{"schema": 1, "sessions": [' + b",".join(b"{" + b",".join(b'"k%d":1' % i for i in range(19_000)) + b"}" for _ in range(50)) + b"]}", "G206"),
]  # fmt: skip
"""The same of two of them, up to what no count of characters refuses: long, so a proof."""

NESTED = [
    raw("lists 100000 deep", lambda _: b"[" * 100_000 + b"]" * 100_000, "G205"),
    raw("tables 100000 deep", lambda _: b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "G205"),
    text("100000 lists in a note", lambda t: t.replace('"tuned": []', f'"tuned": [{"[" * 100_000}{"]" * 100_000}]'), "G205"),
    raw("deep after the schema", lambda _: b'{"schema": 1, "sessions": ' + b"[" * 900 + b"]" * 900 + b"}", "G205"),
    edit("a note 30 deep", ses("notes", json.loads("[" * 30 + "]" * 30)), code="G205"),
]  # fmt: skip

ENCODED = [
    raw("UTF-16 with its mark", lambda h: json.dumps(h.fine).encode("utf-16"), "G203"),
    raw("UTF-16 without", lambda h: json.dumps(h.fine).encode("utf-16-le"), "G205"),
    raw("UTF-32", lambda h: json.dumps(h.fine).encode("utf-32"), "G203"),
    raw("a byte order mark", lambda h: b"\xef\xbb\xbf" + json.dumps(h.fine).encode(), "G205"),
    raw("NUL bytes", lambda h: json.dumps(h.fine).encode().replace(b" ", b"\0"), "G205"),
    raw("not UTF-8", lambda h: json.dumps(h.fine).encode().replace(b"lab", b"l\xe4b"), "G203"),
    raw("an overlong slash", lambda h: json.dumps(h.fine).encode().replace(b"lab", b"l\xc0\xafb"), "G203"),
    raw("half a pair as bytes", lambda h: json.dumps(h.fine).encode().replace(b"lab", b"\xed\xa0\x80"), "G203"),
    text("half a pair escaped", lambda t: t.replace('"lab"', f'"{MARK}\\ud800"'), "G205"),
    edit("half a pair in a note", ses("notes", [f"{MARK}\ud83d"]), code="G205"),
    edit("NUL in a note", ses("notes", [f"{MARK}\0"]), code="G205"),
    raw("random bytes", lambda _: bytes(i * 7 % 256 for i in range(4096)), "G203"),
    raw("gzip", lambda _: b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + b"\0" * 50, "G203"),
    raw("zip", lambda _: b"PK\x03\x04" + b"\0" * 60, "G205"),
    raw("pickle", lambda _: b"cos\nsystem\n(S'touch PWNED'\ntR.", "G205"),
]  # fmt: skip

TRICKS = [
    text("a key twice", lambda t: t.replace('"schema": 1', '"schema": 1, "schema": 1', 1), "G205"),
    text("a side twice", lambda t: t.replace('"side": "head"', '"side": "base", "side": "head"'), "G205"),
    text("a key twice, once escaped", lambda t: t.replace('"side": "head"', '"side": "head", "\\u0073ide": "base"'), "G205"),
    text("NaN", lambda t: t.replace("1.002", "NaN"), "G205"),
    text("Infinity", lambda t: t.replace("1.002", "Infinity"), "G205"),
    text("minus Infinity", lambda t: t.replace("1.002", "-Infinity"), "G205"),
    text("1e999", lambda t: t.replace("1.002", "1e999"), "G206"),
    text("minus 1e999", lambda t: t.replace("1.002", "-1e999"), "G206"),
    text("a whole number of 10000 digits", lambda t: t.replace("1.002", "9" * 10_000), "G205"),
    text("a seed of 10000 digits", lambda t: t.replace('"seed": ', f'"seed": {"1" * 10_000}', 1), "G205"),
    text("a fraction of 10000 digits and e99999", lambda t: t.replace("1.002", f"0.{'9' * 10_000}e99999"), "G206"),
    text("hexadecimal", lambda t: t.replace("1.002", "0x1"), "G205"),
    text("a leading plus", lambda t: t.replace("1.002", "+1"), "G205"),
    text("a comment", lambda t: f"// {MARK}\n{t}", "G205"),
    text("a trailing comma", lambda t: t.rstrip()[:-1] + ",}", "G205"),
    text("something after the end", lambda t: f"{t}\n{MARK}", "G205"),
    text("two documents", lambda t: t + t, "G205"),
    text("lines of documents", lambda t: "\n".join([json.dumps(json.loads(t))] * 2), "G205"),
    text("single quotes", lambda t: t.replace('"', "'"), "G205"),
    text("a raw line break in a string", lambda t: t.replace('"lab"', '"l\nab"'), "G205"),
    text("cut in half", lambda t: t[: len(t) // 2], "G205"),
    text("a hostile word for JSON", lambda _: f"::error::{MARK}\n##[error]{MARK}\x1b[31m", "G205"),
    text("TOML", lambda _: f'schema = 1\nprofile = "{MARK}"\n', "G205"),
    text("YAML that runs", lambda _: f"!!python/object/apply:os.system ['touch {MARK}']", "G205"),
    raw("nothing", lambda _: b"", "G205"),
    raw("blanks", lambda _: b" \n\t ", "G205"),
    raw("null", lambda _: b"null", "G206"),
    raw("a list at the top", lambda h: json.dumps([h.fine]).encode(), "G206"),
    raw("a string at the top", lambda _: f'"{MARK}"'.encode(), "G206"),
    raw("a prototype", lambda _: b'{"schema": 1, "__proto__": {"gate": "open"}, "__class__": 1}', "G206"),
    edit("an answer that it should not give", put("gate", "open"), put("exit_status", 0), code="G206"),
]  # fmt: skip

SPECIAL = [
    special("no file", lambda path: None),
    special("a directory", lambda path: path.mkdir()),
    special("a named pipe", os.mkfifo),
    special("a link to dev zero", lambda path: path.symlink_to("/dev/zero")),
    special("a link to a terminal", lambda path: path.symlink_to("/dev/tty")),
    special("a link to itself", lambda path: path.symlink_to(path)),
    special("a link to memory", lambda path: path.symlink_to("/proc/self/mem")),
    Hostile("a link to the password file", lambda path, _: path.symlink_to("/etc/passwd"), "G205"),
]
SMALL = [*NESTED, *ENCODED, *TRICKS, *SPECIAL]
