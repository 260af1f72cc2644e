"""Recounts the instructions that laws take from machine code (fx_code in core/probe.h): what one warp executes.

before  outside of loops, up to the first exit, that instruction included
loop    the longest loop, with all that is nested in it, once each
behind  outside of loops, behind the first exit: what some warps do alone
all     everything

With an opcode only instructions of that kind count, whatever their modifiers. All instructions count, those under a
predicate and NOP as well, since each takes a slot to issue. Left out is what only lanes that have diverged come to:
where BRA.DIV goes. Counts are those of one architecture."""

from . import disassembly

ARCHITECTURE = 90
WHERE = {
    "before": "up to the first exit",
    "loop": "in the loop",
    "behind": "behind the first exit",
    "all": "in the kernel",
}


def _reached(after, start):
    found, ahead = {start}, [start]
    while ahead:
        for follow in after[ahead.pop()] - found:
            found.add(follow)
            ahead.append(follow)
    return found


def parts(code):
    """Part to its instructions."""
    blocks, after = disassembly.flow(code)
    by_address = {block[0].address: n for n, block in enumerate(blocks)}
    usual = [
        follow - {by_address.get(block[-1].target)} if block[-1].opcode.startswith("BRA.DIV") else follow
        for block, follow in zip(blocks, after, strict=True)
    ]
    executed = _reached(usual, 0)
    loops = [loop.blocks & executed for loop in disassembly.loops(code)]
    longest = max(loops, key=lambda loop: sum(len(blocks[n]) for n in loop), default=set())
    straight = executed - set().union(*loops)
    first = min(n for n in executed if blocks[n][-1].base == "EXIT")
    behind = {n for n in straight if n != first and first not in _reached(usual, n)}
    chosen = {"before": straight - behind, "loop": longest, "behind": behind, "all": executed}
    return {part: [i for n in sorted(numbers) for i in blocks[n]] for part, numbers in chosen.items()}


def faults(kernel, declared):
    """A sentence for each declared count that is not so."""
    found = parts(kernel.code) if declared else {}
    for one in declared:
        code, opcode = found[one["part"]], one["opcode"]
        count = sum(opcode is None or i.base == opcode for i in code)
        if count != one["count"]:
            yield f"{count} {opcode or 'instructions'} {WHERE[one['part']]}, and the law takes {one['count']}"
