"""Constants in the code: the cost of a word by how often it is used, and by how far the words lie apart."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, by

QUESTION = "What does a constant-memory operand of an instruction cost?"
NAMES = {"constant": "constant memory", "register": "registers"}
WORDS = 128
NEAR, FAR = 8, 512  # bytes from word to word: all lie in the first level of the cache, or in all of the memory


def finding(source):
    return source.said(
        "A constant operand used once costs {constant.operand_ratio} a register",
        "; words spread over 64 KiB cost {constant.operand_miss_ratio} those within 1 KiB",
    )


def _by_uses(pen):
    named = not pen.names_above([*NAMES.values()])
    pen.lines("uses", by("path", NAMES, spacing=NEAR), law="default", named=named)
    pen.say(
        "uses", {"path": "constant", "spacing": NEAR, "uses": 1}, "{constant.operand_ratio}", dx=-5, dy=2, ha="right"
    )
    pen.axes("128 words, 8 bytes apart", "additions of each word", "SM cycles per word", scales.ticks_at(1, 2, 4))


def _footprint(point):
    return WORDS * point.params["spacing"]


def _by_footprint(pen):
    wanted = {"path": "constant", "uses": 1}
    pen.names_above([NAMES["constant"]])
    pen.lines(_footprint, {"": wanted})
    pen.say(_footprint, wanted | {"spacing": FAR}, "{constant.operand_miss_ratio} those within 1 KiB", dx=8, ha="right")
    pen.headroom(1.1)
    title = "128 words, each added once"
    pen.axes(
        title,
        "memory that 128 words lie in",
        "SM cycles per word",
        partial(scales.log2, text=scales.bytes_text, most=4),
    )


def panels(_):
    return [Panel(_by_uses), Panel(_by_footprint)]
