"""Functions compared by their machine code: real object files, compiled on the spot."""

from __future__ import annotations

import subprocess

import pytest

from gate.vm.code import differing_functions, functions_of
from gate.vm.elf import NotRead, Object

FLAGS = ("-O2", "-fno-pic", "-fno-asynchronous-unwind-tables", "-mcmodel=kernel")
BASE = """
extern int printk(const char *, ...);
static int table[4] = {1, 2, 3, 4};
__attribute__((noinline)) static int inner(int a) { return printk("inner %d\\n", a) + table[2]; }
__attribute__((noinline)) static int first(int a) { return inner(a) * 3; }
int second(int a) { static int seen; seen += a; return first(a) + seen; }
int third(int a) { if (printk("third\\n")) return second(a); return inner(a + 1); }
static inline int folded(int a) { return a + 7; }
int caller(int a) { return printk("caller %d\\n", folded(a)); }
"""


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Compile a text to an object file, once."""
    place, known = tmp_path_factory.mktemp("objects"), {}

    def made(text):
        if text not in known:
            (place / "one.c").write_text(text)
            words = ["cc", *FLAGS, "-c", "one.c", "-o", "one.o"]
            subprocess.run(words, cwd=place, check=True)
            known[text] = (place / "one.o").read_bytes()
        return known[text]

    return made


def edited(*pairs):
    """The text with parts exchanged, each of which must be there."""
    text = BASE
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def test_the_same_text_has_no_difference(compiled):
    """Nor have comments, renamed locals and empty lines."""
    head = edited(
        ("int caller(int a)", "/* more */\n\n\nint caller(int a)"),
        ("folded(int a)", "folded(int x)"),
        ("return a + 7", "return x + 7"),
    )
    assert differing_functions(compiled(BASE), compiled(head)) == {}


def test_what_only_moved_is_no_difference(compiled):
    """One function grows: those behind it lie elsewhere, as do their calls, texts and data."""
    head = edited(
        ('printk("inner %d\\n", a)', 'printk("longer inner text %d\\n", a * a * 31 + (a >> 3))'),
        ("{1, 2, 3, 4};", "{1, 2, 3, 4};\nstatic int other[9] = {5};\nint *seen_by = other;"),
    )
    assert differing_functions(compiled(BASE), compiled(head)) == {"inner": "changed"}


EMPTY = """
extern void use(void *, void *);
static int limit;
static struct {} key;
static struct {} other;
void locks(void) { use(&key, &other); }
int caller(int a) { limit += a; use(&limit, &key); return limit; }
"""


def test_variables_that_take_no_room_are_no_difference(compiled):
    """A key of a lock that nobody checks has the address of whatever lies there now."""
    head = EMPTY.replace("static int limit;", "static int limit;\nstatic int seen;")
    head += "void adds(int a) { seen += a; use(&seen, &key); }\n"
    assert differing_functions(compiled(EMPTY), compiled(head)) == {"adds": "added"}
    wrong = head.replace("limit += a", "seen += a")
    assert differing_functions(compiled(head), compiled(wrong)) == {"caller": "changed"}


def test_what_the_assembler_filled_in_is_compared_by_its_target(compiled):
    """The call of a local function has no name in the file any more, and its distance moved."""
    names = functions_of(compiled(BASE))
    assert b"\xe8" in names["first"][0].body
    called = edited(
        ("return inner(a) * 3", "return third(a) * 3"),
        ("static int table", "int third(int);\nstatic int table"),
    )
    found = differing_functions(compiled(BASE), compiled(called))
    assert found["first"] == "changed"
    assert "second" not in found


def test_an_inlined_function_shows_in_its_caller(compiled):
    """It has no code of its own, which is why texts are not compared."""
    assert differing_functions(compiled(BASE), compiled(edited(("a + 7", "a + 8")))) == {
        "caller": "changed"
    }


def test_a_text_that_is_printed_belongs_to_its_function(compiled):
    """Its place does not count, its words do."""
    head = edited(('"third\\n"', '"3rd\\n"'))
    assert differing_functions(compiled(BASE), compiled(head)) == {"third": "changed"}


def test_functions_come_and_go(compiled):
    """Told apart from those that changed; a file that is not there has none."""
    head = edited(("int third", "int fourth(int a) { return a ^ 5; }\nint third"))
    assert differing_functions(compiled(BASE), compiled(head)) == {"fourth": "added"}
    assert differing_functions(compiled(head), compiled(BASE)) == {"fourth": "removed"}
    assert set(differing_functions(b"", compiled(BASE)).values()) == {"added"}


def test_a_part_set_apart_is_its_function(compiled):
    """What is hardly ever reached lies in a section of its own, and is not told twice."""
    cold = "__attribute__((cold)) void worst(int);\n"
    text = f"{cold}{BASE}int hot(int a) {{ if (a > 5) {{ worst(a); worst(11); }} return a; }}\n"
    head = text.replace("worst(11)", "worst(12)")
    assert "hot.cold" in functions_of(compiled(text))
    assert differing_functions(compiled(text), compiled(head)) == {"hot": "changed"}


def test_an_alias_is_no_second_function(compiled):
    """As `init_module` is one of a module's own function."""
    text = BASE + 'int again(int) __attribute__((alias("caller")));\n'
    head = text.replace("a + 7", "a + 9")
    assert len(differing_functions(compiled(text), compiled(head))) == 1


def test_what_is_no_object_file_is_refused(compiled):
    """Empty, a program, or cut off anywhere: told in words, never a traceback."""
    whole = compiled(BASE)
    for content in (b"", b"text", b"\x7fELF\x02\x01" + bytes(200), whole[:200], whole[:-80]):
        with pytest.raises(NotRead):
            Object(content)
