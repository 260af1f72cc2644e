"""Constants in the code: the cost of a word by how often it is used, and by how far the words lie apart."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by

QUESTION = "What does a constant-memory operand of an instruction cost?"
NAMES = {"constant": "words in constant memory", "register": "words in registers"}
NEAR = 8  # bytes from word to word: all lie in the first level of the cache


def finding(source):
    return source.said(
        "An operand in constant memory costs {constant.operand_ratio} as much as one in a register",
        "; 128 operands spread over 64 KiB cost {constant.operand_miss_ratio} as much as close ones",
    )


def _by_uses(pen):
    pen.lines("uses", by("path", NAMES, spacing=NEAR), law="default")
    pen.axes("128 words, 8 bytes apart", "additions of each word", "SM cycles per word", scales.ticks_at(1, 2, 4))


def _by_distance(pen):
    pen.lines("spacing", {"": {"path": "constant", "uses": 1}})
    title = "Words in constant memory, added once"
    pen.axes(title, "distance of words (bytes)", "SM cycles per word", scales.counts)


def panels(_):
    return [Panel(_by_uses), Panel(_by_distance)]
