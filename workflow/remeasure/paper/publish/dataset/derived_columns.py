"""The columns of the tables that are made from estimates and verdicts (data/tidy/*.parquet)."""

from collections.abc import Mapping

from remeasure.bench.base.columns import Column, Table
from remeasure.paper.analysis.decisions import SIZES, VERDICTS


def _meanings(words: Mapping[str, str]) -> str:
    return ". ".join(f"`{word}`: {meaning}" for word, meaning in words.items())


ESTIMATES = Table(
    "estimates",
    "one estimate: of a cell, or of a comparison between cells",
    False,
    (
        Column("scenario", "word", "", "name of the scenario"),
        Column("campaign", "word", "", "the campaign whose blocks it is from"),
        Column("clock", "word", "", "`real` or `virtual`: the clock of the campaign"),
        Column("kind", "word", "", "`cell`, or `comparison`: a ratio or difference of cells"),
        Column("quantity", "text", "", "what it is, in words"),
        Column("probe", "word", "", "name of the probe in the scenario; empty if several"),
        Column("metric", "word", "", "what was measured (see Metrics)"),
        Column("unit", "word", "", "unit of value, low and high; empty of ratios"),
        Column("cells", "text", "", "the cells that it is from: JSON, factor → level of each"),
        Column("value", "number", "in `unit`", "the estimate"),
        Column("low", "number", "in `unit`", "lower end of its 95 % interval"),
        Column("high", "number", "in `unit`", "upper end of its 95 % interval"),
        Column("n", "integer", "blocks", "number of blocks behind it"),
        Column("made_by", "text", "", "how value and interval were made"),
    ),
)
LEVEL_OF_ESTIMATE = (
    "level of this factor in the cells; empty where they differ, or where it does not apply"
)
LEVELS = Table(
    "levels",
    "one number that a level of a factor sets, or one level that sets none",
    False,
    (
        Column("scenario", "word", "", "name of the scenario"),
        Column("factor", "word", "", "name of the factor"),
        Column("level", "text", "", "name of the level"),
        Column(
            "sets",
            "text",
            "",
            "what the level sets, of all in which levels of the factor differ: "
            "`<setting>: <value>; ...`, as in the scenario's file",
        ),
        Column("quantity", "text", "", "what the number is"),
        Column("value", "number", "in `unit`", "the number; empty if the level sets none"),
        Column("unit", "word", "", "unit of `value`"),
        Column(
            "column",
            "word",
            "",
            "column of the scenario's tables that has the number; empty if none has",
        ),
        Column("campaigns", "text", "", "campaigns in which the level means this"),
    ),
)
CLAIMS = Table(
    "claims",
    "one part of a statement of a study, as a question to trials; a statement that cannot be "
    "tested is one row without estimate",
    False,
    (
        Column("study", "word", "", "name of the study"),
        Column("scenario", "word", "", "scenario whose trials were asked"),
        Column("id", "text", "", "name of the statement"),
        Column("says", "text", "", "the statement"),
        Column("published", "text", "", "the numbers that the study gives for it"),
        Column(
            "verdict",
            "word",
            "",
            f"verdict on the direction of the whole statement. {_meanings(VERDICTS)}",
        ),
        Column(
            "family_wise",
            "word",
            "",
            "the same by the family-wise error rate (Holm; Bonferroni from rules version 2 on)",
        ),
        Column(
            "false_discovery",
            "word",
            "",
            "the same by the false discovery rate (Benjamini and Hochberg)",
        ),
        Column("uncorrected", "word", "", "the same without a correction"),
        Column("size", "word", "", f"where the published number lies. {_meanings(SIZES)}"),
        Column("decided_by", "text", "", "the parts that decided, separated by `; `"),
        Column("parts", "text", "", "which parts hold and which do not, where they differ"),
        Column("reason", "text", "", "why there is no verdict"),
        Column("method", "text", "", "how values, intervals and verdicts were made"),
        Column("note", "text", "", "what in the statement is unstated or contradicts itself"),
        Column("uncounted", "text", "", "why it is not counted among the study's findings"),
        Column("stood", "word", "", "whether its bounds are older than the data"),
        Column("blocks", "integer", "blocks", "number of blocks measured"),
        Column("code", "word", "", "whether the code that decides is older than the data"),
        Column("rules", "integer", "", "version of the rules that decide (`claims/rules.py`)"),
        Column(
            "exploratory",
            "text",
            "",
            "JSON: verdict and tests by the rules of campaigns that begin now; exploratory",
        ),
        Column(
            "choices",
            "text",
            "",
            "JSON: kind of choice → other choice of analysis → verdict under it",
        ),
        Column(
            "specifications",
            "text",
            "",
            "JSON: of ten statements, the verdict under each combination of choices",
        ),
        Column("part", "integer", "", "number of the part, from 0"),
        Column(
            "test",
            "text",
            "",
            "JSON: the part's question and answer (see `analysis/verdicts/ledger.py`)",
        ),
        Column("value", "number", "in `unit`", "what was found"),
        Column("low", "number", "in `unit`", "lower end of its 95 % interval"),
        Column("high", "number", "in `unit`", "upper end of its 95 % interval"),
        Column("unit", "word", "", "unit of value, low and high"),
        Column("n", "number", "blocks", "number of blocks behind it"),
    ),
)
