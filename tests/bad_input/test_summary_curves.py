"""Summary files with sittings, parameters and groups: typed by hand, and wrong."""

from __future__ import annotations

import pytest
from builders import run_gate


def judge(path="t.toml"):
    return ["judge", "--summary", path]


def case(name, old, new, line, *words, code="G206"):
    """An edit of CURVES, the line that must be named, and words that must be said."""
    return pytest.param(old, new, line, words, code, id=name)


CURVES = """\
source = "An article, 2001"
mean = "arithmetic"
side = { base = "kernel 1", head = "kernel 2" }

[metric.rate]
unit = "MB/s"
better = "higher"

[metric.time]
unit = "s"
better = "lower"

[metric.rate_knee]
of = "rate"
over = "depth"
take = "knee"

[[row]]
benchmark = "random"
params = { depth = 1 }
metric = "rate"
base = [{ mean = 1.0, trials = 3 }, { mean = 1.1, trials = 3 }]
head = { mean = 1.2, trials = 3 }

[[row]]
benchmark = "random"
params = { depth = 8 }
metric = "rate"
base = [{ mean = 2.0, trials = 3 }, { mean = 2.1, trials = 3 }]
head = { mean = 2.2, trials = 3 }

[[row]]
benchmark = "random"
params = { depth = 64 }
metric = "rate"
base = [{ mean = 2.0, trials = 3 }, { mean = 2.1, trials = 3 }]
head = { mean = 2.2, trials = 3 }

[[row]]
benchmark = "copy"
metric = "time"
base = { mean = 1.0, sd = 0.1, trials = 3 }
head = { mean = 1.0, sd = 0.1, trials = 3 }
"""
ONE, TWO = "{ mean = 1.0, trials = 3 }", "{ mean = 1.0, trials = 3 }, { mean = 1.1, trials = 3 }"
CURVE_EDITS = [
    case("a list of nothing", TWO, "", 22, "row.0.base", "are less than the 2 needed"),
    case("a list of one", TWO, ONE, 22, "row.0.base", "are less than the 2 needed"),
    case("a list without end", TWO, ", ".join([ONE] * 1001), 22, "row.0.base", "1001 are more than the 1000 allowed"),
    case("a list of numbers", TWO, "1.0, 1.1", 22, "row.0.base.0"),
    case("a list in a list", TWO, f"[{ONE}], {ONE}", 22, "row.0.base.0"),
    case("a side as a number", f"[{TWO}]", "1.0", 22, "row.0.base"),
    case("a sitting without trials", "mean = 1.1, trials = 3", "mean = 1.1", 22, "row.0.base.1.trials: is required"),
    case("a sitting of zero", "mean = 1.1", "mean = 0.0", 22, "row.0.base.1.mean", "must be above 0"),
    case("a sitting of nan", "mean = 1.1", "mean = nan", 22, "row.0.base.1.mean", "finite"),
    case("a misspelt key of a sitting", "mean = 1.1, trials", "mean = 1.1, trails", 22, "row.0.base.1.trails", 'did you mean "trials"?'),
    case("trials and spread of a sitting", "mean = 1.1, trials", "mean = 1.1, sd = 0.1, trials", 22, "row.0.base.1.sd", "ignored", "Leave sd out"),
    case("a spread beside sittings", "mean = 1.2, trials", "mean = 1.2, sd = 0.1, trials", 23, "row.0.head.sd", "ignored", "Leave sd out"),
    case("a sitting in another unit", "mean = 1.2,", "mean = 1_200_000_000.0,", 23, "row.0.head", "millionfold"),
    case("other sittings at a later point", "base = [{ mean = 2.0, trials = 3 }, ", "base = [{ mean = 2.0, trials = 3 }, { mean = 2.0, trials = 3 }, ", 29, "row.1.base", "3 sittings, and 2 at the first point", "same sittings"),
    case("one sitting at a later point", "base = [{ mean = 2.0, trials = 3 }, { mean = 2.1, trials = 3 }]", "base = { mean = 2.0, trials = 3 }", 29, "row.1.base", "1 sittings, and 2 at the first"),
    case("a parameter as a list", "depth = 1 }", "depth = [1] }", 20, "row.0.params.depth"),
    case("a parameter of true", "depth = 1 }", "depth = true }", 20, "row.0.params.depth"),
    case("an empty parameter", "depth = 1 }", 'depth = "" }', 20, "row.0.params", "cannot stand in a name"),
    case("a parameter like a name", "depth = 1 }", 'depth = "1,load=2" }', 20, "row.0.params", "cannot stand in a name"),
    case("a parameter of every value", "depth = 1 }", 'depth = "*" }', 20, "row.0.params", "cannot stand in a name"),
    case("a parameter with an escape", "depth = 1 }", r'depth = "\u001b" }', 20, "row.0.params", "no printable text"),
    case("a parameter without a name", "depth = 1 }", '"" = 1 }', 20, "row.0.params", "cannot stand in a name"),
    case("parameters as a list", "{ depth = 1 }", "[1]", 20, "row.0.params"),
    case("a point twice", "depth = 8 }", "depth = 1 }", 25, "row.1", "random[depth=1] rate stands twice"),
    case("a point without its parameter", "params = { depth = 8 }\n", "", 25, "row.1.params", "an earlier row of it has depth"),
    case("a point with another parameter", "depth = 8 }", "dept = 8 }", 27, "row.1.params", "an earlier row of it has depth"),
    case("a knee over words", "depth = 8 }", 'depth = "deep" }', 34, "row.2.params", "knee over depth needs rising numbers above zero"),
    case("a knee over falling numbers", "depth = 8 }", "depth = 100 }", 34, "row.2.params", "rising numbers"),
    case("a knee over zero", "depth = 1 }", "depth = 0 }", 34, "row.2.params", "rising numbers"),
    case("a knee over nan", "depth = 1 }", "depth = nan }", 20, "row.0.params.depth"),
    case("a knee over an endless number", "depth = 64 }", 'depth = "1e999" }', 34, "row.2.params", "rising numbers"),
    case("a knee without a bend", 'depth = 64 }\nmetric = "rate"', 'depth = 64 }\nmetric = "time"', 27, "row.1.params", "random[depth=*] has 2 of the 3 points that knee needs"),
    case("a knee of a time", 'of = "rate"', 'of = "time"', 16, "metric.rate_knee.take", "better when lower"),
    case("a group of what is not there", 'of = "rate"', 'of = "iops"', 14, "metric.rate_knee.of", "'iops'", "rate, time"),
    case("a group of a group", 'of = "rate"', 'of = "rate_knee"', 14, "metric.rate_knee.of", "'rate_knee'"),
    case("a group over unknown rows", 'over = "depth"', 'over = "clients"', 15, "metric.rate_knee.over", "no row of rate has this parameter"),
    case("a group over nothing", 'over = "depth"', 'over = ""', 15, "metric.rate_knee.over"),
    case("a group without over", 'over = "depth"\n', "", 14, "metric.rate_knee.of", "needs over beside it"),
    case("a group of nothing", 'of = "rate"\n', "", 14, "metric.rate_knee.over", "needs of beside it"),
    case("a group that takes nothing", 'take = "knee"\n', "", 14, "metric.rate_knee.of", "needs take beside it"),
    case("a group that takes the median", '"knee"', '"median"', 16, "metric.rate_knee.take", "geomean"),
    case("a group with a unit", 'take = "knee"', 'take = "knee"\nunit = "s"', 17, "metric.rate_knee.unit", "no meaning for a group"),
    case("a group with a direction", 'take = "knee"', 'take = "knee"\nbetter = "higher"', 17, "metric.rate_knee.better", "no meaning"),
    case("a group's tolerance of nothing", 'take = "knee"', 'take = "knee"\ntolerance = "0%"', 17, "metric.rate_knee.tolerance", "0.1%"),
    case("a row of a group's metric", 'depth = 64 }\nmetric = "rate"', 'depth = 64 }\nmetric = "rate_knee"', 35, "row.2.metric", "makes rate_knee of other rows itself"),
    case("a metric without unit", 'unit = "MB/s"\n', "", 5, "metric.rate.unit: is required"),
    case("a metric without direction", 'better = "higher"\n', "", 5, "metric.rate.better: is required"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "words", "code"), CURVE_EDITS)
def test_edited_curves(tmp_path, refuse, old, new, line, words, code):
    """Sittings, parameters and groups: each slip is refused by file, line and key, with a cure."""
    assert CURVES.count(old) >= 1
    (tmp_path / "t.toml").write_text(CURVES.replace(old, new, 1), encoding="utf-8")
    refuse(judge(), code, f"t.toml:{line}: ", *words)
    refuse([*judge(), "--json"], code)


ORDERS = [
    ("depth", (8, 1, 64), "scaling over depth needs rising numbers"),
    ("depth", (1, 8, 1.0), "scaling over depth needs rising numbers"),
    ("load", ("loaded", "alone", "idle"), "scaling over load needs alone, then loaded"),
    ("load", ("alone", "idle", "loaded"), "scaling over load needs alone, then loaded"),
]


@pytest.mark.parametrize(("over", "values", "said"), ORDERS)
def test_a_curve_turned_round(tmp_path, refuse, over, values, said):
    """The last point over the first is a gain when read backwards: such an order is refused."""
    text = CURVES.replace("knee", "scaling").replace("depth", over)
    for old, new in zip((1, 8, 64), values, strict=True):
        shown = f'"{new}"' if isinstance(new, str) else new
        text = text.replace(f"{{ {over} = {old} }}", f"{{ {over} = <{shown}> }}")
    (tmp_path / "t.toml").write_text(text.translate({60: None, 62: None}), encoding="utf-8")
    refuse(judge(), "G206", "t.toml:34: ", "row.2.params", said, "would look like a gain")


@pytest.mark.parametrize("values", [("small", "large", "huge"), (1, 8, 64)])
def test_a_curve_over_words_has_the_order_of_its_rows(tmp_path, values):
    """Setups and compilers have no order of their own; numbers that rise have."""
    text = CURVES.replace("knee", "scaling")
    for old, new in zip((1, 8, 64), values, strict=True):
        text = text.replace(f"depth = {old} }}", f'depth = "{new}" }}')
    (tmp_path / "t.toml").write_text(text, encoding="utf-8")
    answer = run_gate([*judge(), "--json"], cwd=tmp_path)
    (curve,) = [f for f in answer.json["findings"] if f["metric"] == "rate_scaling"]
    assert f"from depth={values[0]} to {values[2]} is" in curve["headline"]


def test_the_curves_edited_here_are_good(tmp_path):
    """Nothing above is refused for another reason: as they stand there are five findings."""
    (tmp_path / "t.toml").write_text(CURVES, encoding="utf-8")
    answer = run_gate([*judge(), "--json"], cwd=tmp_path)
    assert sorted(f["benchmark"] for f in answer.json["findings"]) == [
        "copy", "random[depth=*]", "random[depth=1]", "random[depth=64]", "random[depth=8]"
    ]  # fmt: skip


def test_parameters_are_named_as_they_are_written(tmp_path):
    """1.50 stays 1.50 in the name of the point, and a word needs no quotes there."""
    text = CURVES.replace("depth = 1 }", "depth = 1.50 }").replace("depth = 8 }", 'depth = "8e0" }')
    (tmp_path / "t.toml").write_text(text, encoding="utf-8")
    answer = run_gate([*judge(), "--json"], cwd=tmp_path)
    names = {f["benchmark"] for f in answer.json["findings"]}
    assert {"random[depth=1.50]", "random[depth=8e0]", "random[depth=64]"} < names
