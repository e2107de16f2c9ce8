"""The columns of the tables that are made from estimates and verdicts (data/tidy/*.parquet)."""

from collections.abc import Mapping

from remeasure.bench.base.columns import table
from remeasure.paper.analysis.decisions import SIZES, VERDICTS


def _meanings(words: Mapping[str, str]) -> str:
    return ". ".join(f"`{word}`: {meaning}" for word, meaning in words.items())


ESTIMATES = table(
    "estimates",
    "one estimate: of a cell, or of a comparison between cells",
    False,
    {
        "scenario: word": "name of the scenario",
        "campaign: word": "the campaign whose blocks it is from",
        "clock: word": "`real` or `virtual`: the clock of the campaign",
        "kind: word": "`cell`, or `comparison`: a ratio or difference of cells",
        "quantity: text": "what it is, in words",
        "probe: word": "name of the probe in the scenario; empty if several",
        "metric: word": "what was measured (see Metrics)",
        "unit: word": "unit of value, low and high; empty of ratios",
        "cells: text": "the cells that it is from: JSON, factor → level of each",
        "value: number [in `unit`]": "the estimate",
        "low: number [in `unit`]": "lower end of its 95 % interval",
        "high: number [in `unit`]": "upper end of its 95 % interval",
        "n: integer [blocks]": "number of blocks behind it",
        "made_by: text": "how value and interval were made",
    },
)
LEVEL_OF_ESTIMATE = (
    "level of this factor in the cells; empty where they differ, or where it does not apply"
)
LEVELS = table(
    "levels",
    "one number that a level of a factor sets, or one level that sets none",
    False,
    {
        "scenario: word": "name of the scenario",
        "factor: word": "name of the factor",
        "level: text": "name of the level",
        "sets: text": "what the level sets, of all in which levels of the factor differ: "
        "`<setting>: <value>; ...`, as in the scenario's file",
        "quantity: text": "what the number is",
        "value: number [in `unit`]": "the number; empty if the level sets none",
        "unit: word": "unit of `value`",
        "column: word": "column of the scenario's tables that has the number; empty if none has",
        "campaigns: text": "campaigns in which the level means this",
    },
)
CLAIMS = table(
    "claims",
    "one part of a statement of a study, as a question to trials; a statement that cannot be "
    "tested is one row without estimate",
    False,
    {
        "study: word": "name of the study",
        "scenario: word": "scenario whose trials were asked",
        "id: text": "name of the statement",
        "says: text": "the statement",
        "published: text": "the numbers that the study gives for it",
        "verdict: word": f"verdict on the direction of the whole statement. {_meanings(VERDICTS)}",
        "family_wise: word": "the same by the family-wise error rate (Holm; Bonferroni from "
        "rules version 2 on)",
        "false_discovery: word": "the same by the false discovery rate (Benjamini and Hochberg)",
        "uncorrected: word": "the same without a correction",
        "size: word": f"where the published number lies. {_meanings(SIZES)}",
        "decided_by: text": "the parts that decided, separated by `; `",
        "parts: text": "which parts hold and which do not, where they differ",
        "reason: text": "why there is no verdict",
        "method: text": "how values, intervals and verdicts were made",
        "note: text": "what in the statement is unstated or contradicts itself",
        "uncounted: text": "why it is not counted among the study's findings",
        "stood: word": "whether its bounds are older than the data",
        "blocks: integer [blocks]": "number of blocks measured",
        "rules: integer": "version of the rules that decide (`claims/rules.py`)",
        "exploratory: text": "JSON: verdict and tests by the rules of campaigns that begin now; "
        "exploratory",
        "choices: text": "JSON: kind of choice → other choice of analysis → verdict under it",
        "specifications: text": "JSON: of ten statements, the verdict under each combination of "
        "choices",
        "part: integer": "number of the part, from 0",
        "test: text": "JSON: the part's question and answer (see `analysis/verdicts/ledger.py`)",
        "value: number [in `unit`]": "what was found",
        "low: number [in `unit`]": "lower end of its 95 % interval",
        "high: number [in `unit`]": "upper end of its 95 % interval",
        "unit: word": "unit of value, low and high",
        "n: number [blocks]": "number of blocks behind it",
        "bayes_factor: number": "how many times likelier the blocks are if there is an effect than "
        "if there is none; of a ratio or difference that each block gives. It decides nothing "
        "(`analysis/verdicts/bayes_factors.py`)",
    },
)
