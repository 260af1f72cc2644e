"""Constants in the code: the cost of a word by how often it is used, and by how far the words lie apart."""

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, cost
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does a constant cost whose address stands in the code?"
NAMES = {"constant": "words in constant memory", "register": "words in registers"}
NEAR = 8  # bytes from word to word: all lie in the first level of the cache


def _uses(source, path):
    return pick(source.points, spacing=NEAR, path=path)


def _apart(source):
    return sorted(pick(source.points, path="constant", uses=1), key=lambda p: p.params["spacing"])


def finding(source):
    return source.said(
        "A constant-memory operand costs {constant.word_cycles}, {constant.operand_ratio} a register",
        "; spread over 64 KiB {constant.operand_miss_ratio} that",
    )


def _by_uses(pen):
    for source in pen.sources:
        for index, (path, name) in enumerate(NAMES.items()):
            pen.plot(source, _uses(source, path), "uses", cost, name, index, law="default")
    pen.axes("128 words, 8 bytes apart", "additions of each word", "SM cycles per word", scales.counts)


def _by_distance(pen):
    for source in pen.sources:
        pen.plot(source, _apart(source), "spacing", cost)
    title = "128 words, each added once"
    pen.axes(title, "from word to word (bytes)", "SM cycles per word", scales.counts, scales.log2)


def panels(sources):
    found = [Panel(_by_uses)] if any(_uses(s, path) for s in sources for path in NAMES) else []
    return found + [Panel(_by_distance)] * any(len(_apart(s)) > 1 for s in sources)
