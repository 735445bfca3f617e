"""What of the kernel was not alike on both sides, option by option and word by word."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.build import HOST, accepted, baseline, session

from gate.judge.context.differences import CONFIG, MOST_OPTIONS, WHOLE, WHOLE_LINE
from gate.judge.context.differences import kernel_differences as told
from gate.judge.verdict.suite import arrange
from gate.model import Kernel, Side, Stage
from gate.model.kernel_config import config_digest

OPTIONS = {"HZ": "250", "PREEMPT": "y", "SMP": "y"}
KERNEL = Kernel(
    release="6.1",
    version="#1 SMP",
    build_id="aa",
    command_line="mitigations=auto quiet",
    config=OPTIONS,
)


def case(head=KERNEL, *, base=None, sessions=None, epoch=None, **kept):
    """A case whose kernels are these; `base` is that of a base side that pairs were taken of."""
    facts = {"kernel": "6.1", "command_line": "mitigations=auto quiet"} | (epoch or {})
    given = [session(kernel=head, host=replace(HOST, epoch=facts))]
    if base is not None:
        pairs = {"stage": Stage.CONFIRM, "pair_numbers": True, "sides": True}
        given += [
            session(id="b", side=Side.BASE, kernel=base, **pairs),
            session(id="h", kernel=replace(head, config={}), **pairs),
        ]
    known = [] if sessions is None else [baseline(sessions=sessions, **kept)]
    return arrange(given, known, {})[0]


def newest(config=OPTIONS, **more):
    """Two accepted sessions; the newer one's kernel is KERNEL's, of this configuration."""
    facts = {"kernel": "6.1", "command_line": "mitigations=auto quiet"} | more.pop("epoch", {})
    known = {"kernel_build": "aa", "kernel_config": config_digest(config), "epoch_facts": facts}
    return accepted(0), accepted(1, **known | more)


def rows(found):
    """Area, key, base and head of each difference."""
    return [(row.area, row.key, row.base, row.head) for row in found[0]]


def alike(found):
    """How much is alike, by area."""
    return found[1] - Counter(row.area for row in found[0])


def test_equal_kernels_differ_in_nothing_and_say_what_was_compared():
    """Three facts, two parameters and three options were compared with the base side."""
    found = told(case(base=KERNEL))
    assert found[0] == []
    assert alike(found) == {"kernel": 3, "command line": 2, CONFIG: 3}


def test_everything_that_differs_from_the_base_side_is_told():
    """Build, parameters and options: only in base, only in head, and changed."""
    head = replace(
        KERNEL,
        version="#2 SMP",
        build_id="bb",
        command_line="mitigations=off nosmt",
        config={"HZ": "1000", "KASAN": "y", "SMP": "y"},
    )
    found = told(case(head, base=KERNEL))
    assert rows(found) == [
        ("kernel", "build id", "aa", "bb"),
        ("kernel", "version", "#1 SMP", "#2 SMP"),
        ("command line", "mitigations", "mitigations=auto", "mitigations=off"),
        ("command line", "nosmt", "", "nosmt"),
        ("command line", "quiet", "quiet", ""),
        (CONFIG, "HZ", "250", "1000"),
        (CONFIG, "KASAN", "", "y"),
        (CONFIG, "PREEMPT", "y", ""),
    ]
    assert alike(found) == {"kernel": 1, CONFIG: 1}
    assert {(row.against, row.profiles) for row in found[0]} == {("base side", ("p",))}


def test_without_pairs_it_is_the_newest_accepted_session():
    """Release, build id, command line and configuration, as far as a baseline keeps them."""
    older = {**OPTIONS, "HZ": "100"}
    kept = {"kernel_configs": {config_digest(older): older}}
    sessions = newest(older, kernel_build="cc", epoch={"kernel": "6.0"})
    found = told(case(sessions=sessions, **kept))
    assert rows(found) == [
        ("kernel", "build id", "cc", "aa"),
        ("kernel", "release", "6.0", "6.1"),
        (CONFIG, "HZ", "100", "250"),
    ]
    assert {row.against for row in found[0]} == {"accepted session a01"}
    assert alike(found) == {"command line": 2, CONFIG: 2}


def test_a_configuration_whose_text_was_not_kept_is_told_as_such():
    """Only its digest is known: one row with both digests, which says why there are no more."""
    older = {**OPTIONS, "HZ": "100"}
    was, now = config_digest(older), config_digest(OPTIONS)
    assert rows(told(case(sessions=newest(older)))) == [
        (
            CONFIG,
            WHOLE,
            f"digest {was} (the text was not kept)",
            f"digest {now} (3 options)",
        )
    ]


def test_the_same_digest_needs_no_text():
    """A configuration of the same digest is alike in every option, its text kept or not."""
    found = told(case(sessions=newest()))
    assert (found[0], alike(found)[CONFIG]) == ([], 3)


def test_a_kernel_that_does_not_tell_its_configuration_is_told_against_one_that_does():
    """It cannot be compared then, which is no silence; where both tell nothing there is none."""
    silent = replace(KERNEL, config={})
    digest = f"digest {config_digest(OPTIONS)} (3 options)"
    none = "the kernel does not tell them"
    assert rows(told(case(silent, base=KERNEL))) == [(CONFIG, WHOLE, digest, none)]
    assert rows(told(case(KERNEL, base=silent))) == [(CONFIG, WHOLE, none, digest)]
    assert rows(told(case(sessions=newest({})))) == [(CONFIG, WHOLE, none, digest)]
    assert CONFIG not in alike(told(case(silent, base=silent)))


@pytest.mark.parametrize("sessions", [None, (), (accepted(0, epoch_facts={}),)])
def test_what_a_baseline_does_not_know_is_not_compared(sessions):
    """No baseline, one without a session, one accepted before kernels were written down."""
    found = told(case(sessions=sessions))
    assert (rows(found), alike(found)) == ([], {})


def test_a_session_without_a_kernel_has_none_compared():
    """Imported and replayed sessions know of none; a base side without one stays uncompared."""
    assert told(case(None, sessions=newest())) == ([], {})
    one = case(base=KERNEL, sessions=newest())
    assert told(replace(one, pair_base=replace(one.pair_base, kernel=None))) == ([], {})


def test_a_parameter_given_twice_is_one_with_all_its_values():
    """Order counts among the values of one parameter, and where nothing else differs."""
    head = replace(KERNEL, command_line='a=1 a=2 b="x y"')
    base = replace(KERNEL, command_line='a=2 a=1 b="x y"')
    assert rows(told(case(head, base=base))) == [("command line", "a", "a=2 a=1", "a=1 a=2")]
    turned = replace(KERNEL, command_line="quiet mitigations=auto")
    assert rows(told(case(turned, base=KERNEL))) == [
        ("command line", WHOLE_LINE, "mitigations=auto quiet", "quiet mitigations=auto")
    ]


def test_a_command_line_that_was_cut_short_is_compared_as_a_whole():
    """Its last words are not known, so none of them is said to be lacking."""
    long = " ".join(f"word{n}" for n in range(30))
    cut = f"{long[:189]}… #0badcafe"
    found = told(case(sessions=newest(epoch={"command_line": cut}), epoch={"command_line": long}))
    (row,) = found[0]
    assert (row.area, row.key) == ("command line", WHOLE_LINE)
    assert "#0badcafe" in row.base
    assert row.head.endswith("word29 …")
    assert (
        rows(told(case(sessions=newest(epoch={"command_line": cut}), epoch={"command_line": cut})))
        == []
    )


def test_no_words_at_all_are_told_as_none():
    """`nothing` is how a fact says that there is no parameter, and is none itself."""
    bare = {"command_line": "nothing"}
    found = told(case(sessions=newest(epoch=bare)))
    assert rows(found) == [
        ("command line", "mitigations", "", "mitigations=auto"),
        ("command line", "quiet", "", "quiet"),
    ]
    assert alike(told(case(sessions=newest(epoch=bare), epoch=bare)))["kernel"] == 2


def test_of_many_options_the_first_are_told_and_the_others_counted():
    """250 that differ: 200 rows and one that says how many there are more."""
    head = replace(KERNEL, config=OPTIONS | {f"O{n:03}": "y" for n in range(MOST_OPTIONS + 50)})
    found = told(case(head, base=KERNEL))
    assert len(found[0]) == MOST_OPTIONS + 1
    assert rows(found)[-1] == (CONFIG, "50 further options differ", "", "")
    assert alike(found)[CONFIG] == 3


configs = st.dictionaries(st.sampled_from("ABCDEFGH"), st.sampled_from(["y", "m", "1"]), min_size=1)


@given(configs, configs)
def test_every_option_is_told_or_counted_as_alike(base, head):
    """Rows and alike options together are all options of both sides, each once."""
    sides = {"base": replace(KERNEL, config=base), "head": replace(KERNEL, config=head)}
    found = told(case(**sides))
    differing = {row.key: (row.base, row.head) for row in found[0] if row.area == CONFIG}
    every = base.keys() | head.keys()
    assert len(differing) + alike(found).get(CONFIG, 0) == len(every)
    for name in every:
        pair = base.get(name, ""), head.get(name, "")
        assert differing.get(name) == (pair if pair[0] != pair[1] else None)
