"""What `gpufx pattern --code` starts: a question as JSON, the accesses of its text as JSON Lines."""

import contextlib
import dataclasses
import gc
import itertools
import json
import math
import os
import re
import signal
import sys
from pathlib import Path

from .. import UserError
from ..call import annotation
from ..call.stopping import end_at_once
from ..call.terminal import unforeseen
from ..call.text import fields_of
from .launches import Launch

try:
    from . import blocks, cursors, front_end, interpreter, memory, values

    MISSING = ""
except ImportError as problem:
    MISSING = f"--code needs the Python package libclang ({problem}); ./gpufx setup installs it"

ONE_WARP, BLOCKS, TAKEN = "judged: warp 0 of", "judged: every warp of the blocks", ": taken as __shared__"
NO_BLOCK = "; another may change the verdicts"
PARTED = "lanes of a warp part, and one side runs after the other, which is not priced (gpufx ask divergence)"
IDLE = "what divergence costs is not priced (gpufx ask divergence)"


def values_of(word: str) -> tuple[str, list[int] | str]:
    """NAME=VALUE or NAME=FIRST:LAST[:STEP]; any other text is a macro's."""
    name, _, text = word.partition("=")
    try:
        ends = [int(part, 0) for part in text.split(":")]
    except ValueError:
        ends = []
    if not name or not text or len(ends) > 3 or (len(ends) == 3 and ends[2] < 1):
        how = ": one file a call, such as s=0; for f in *.cu; do gpufx pattern --file $f || s=1; done; exit $s"
        forms = " or NAME=FIRST:LAST, such as N=1024, T=float, blockIdx.x=3, t=0:31"
        raise UserError(f"'{word}' is not NAME=VALUE{how if Path(word).is_file() else forms}")
    if not ends or not re.fullmatch(r"[\w.]+", name):
        return name, text
    first, last, step = ends[0], ends[min(1, len(ends) - 1)], ends[2] if len(ends) == 3 else 1
    return name, list(range(first, last + 1, step))


def answer(question: dict) -> list[dict]:
    if MISSING:
        raise UserError(MISSING)
    words = dict(values_of(f"{word}=1" if word.isidentifier() else word) for word in question["words"])
    given = {name: value for name, value in words.items() if isinstance(value, list)}
    try:
        parsed = front_end.parse(question, given, {name: text for name, text in words.items() if name not in given})
    except UserError as problem:
        return of_each(question, problem)
    name, line = parsed.body.spelling, parsed.line(parsed.body.location)
    launches = [] if "launch" in question else launches_of(question, parsed, words)
    if len(launches) > 1:
        return together([item for launch, label in zip(launches, labels_of(launches), strict=True)
                         for item in of_kernel(question | {"launch": launch}, parsed, name, line, label)])  # fmt: skip
    launch = question.get("launch") or (launches or [Launch()])[0]
    launched, how, text = launch.block, "as the program launches it", parsed.text(parsed.body)
    is_line = not re.search(r"(threadIdx|blockDim)\.[yz]", text)  # else nobody says the shape
    if not parsed.program.launches(line, name):
        launched, how = parsed.program.bounds(line, name) if is_line else (), "of __launch_bounds__"
    launched = () if question["block_given"] else launched
    question = question | {"launched": launched, "how": how, "block": launched or question["block"]}
    if not (question["block_given"] or launched) and (parsed.path or not is_line or "blockDim" in text):
        usual = [256, 1, 1] if is_line else [32, 8, 1]  # as most have it; of one warp, where that leads out of an array
        with contextlib.suppress(UserError):
            return judged(question | {"block": usual}, parsed, launch, words)
    return judged(question, parsed, launch, words)


def judged(question: dict, parsed, launch: Launch, words: dict) -> list[dict]:
    """An answer for one launch of one block."""
    given = {name: value for name, value in words.items() if isinstance(value, list)}
    for axis, size in zip("xyz", question["block"], strict=True):
        thread = f"threadIdx.{axis}"
        if wrong := [value for value in given.get(thread, ()) if not 0 <= value < size]:
            raise UserError(f"{thread}={wrong[0]}: the block has {size} in {axis}; --block gives it another size")
    warp = interpreter.Warp(parsed, question["block"], question["space"], given.keys())
    warp.moves = {name: by for name, by in launch.moves if by or name not in given}
    lines = " called in ".join(map(parsed.shown, launch.lines))
    warp.not_judged |= {f"how far the host moves the pointer {name}, launched in {lines}, is not known: give the "
                        f"elements, but 0, as {name}=N": "global" for name, by in launch.moves
                        if by is None and not any(given.get(name, ()))}  # fmt: skip
    sizes = {f"gridDim.{axis}": size for axis, size in zip("xyz", launch.grid, strict=False)}
    passed = {name: size for name, size in sizes.items() if size is not None and name not in words}
    passed |= dict(launch.values)
    settings = [dict(zip(given, values, strict=True)) | passed for values in itertools.product(*given.values())]
    if not (question["block_given"] or question["launched"]):
        assumed = f" of block {shape(question)}, which is assumed"
        warp.assumed = f"{assumed} (--block gives another, such as --block 16,16),"
    warp.limit = max(map(float, re.findall(r"ways *>([ \d.]+)(?:,|$)", question.get("fail_on", ""))), default=math.inf)
    warps = warp.warps(settings, question["every_warp"])
    not_reached = warp.not_reached()
    if not any(warps.values()) and not (warp.lost and question["every_warp"]):  # of a gate they are the answer
        raise parsed.problem(all_lost(warp) or front_end.no_access(parsed, warp))
    by_launch = ", ".join(f"{of}={value}" for of, value in passed.items() if of in warp.asked)
    notes = notes_of(question, parsed, launch, warp, warps)
    notes += [f"{by_launch} as the program launches it; NAME=VALUE gives another"] if by_launch else []
    places = dict.fromkeys(place for accesses in warps.values() for place in accesses)
    own_place = parsed.place(parsed.line(parsed.body.location))
    always = (ONE_WARP, *([BLOCKS] if warp.turns else []))
    said = [*({"note": text, "always": text.startswith(always) or text.endswith((TAKEN, NO_BLOCK))} for text in notes),
            *({"open": text, "space": warp.not_judged.get(text) or "", "place": [warp.first_unreached() or own_place]}
              for text in opens_of(question, parsed, warp, not_reached))]  # fmt: skip
    launch, rows = launch_of(question, warp, given, warps), rows_of(question, parsed, settings, warp, warps)
    by_place = {place: one_of(place, warp, warps) | {"past_l1": place[1] in warp.past_l1,
                "words": 2 if place[:3] in warp.contended else int(question["every_warp"]),
                "launch": [warp.own_lines.get(place[:3], 0), *launch, rows.get(place[:3], 0)]}
                for place in places}  # fmt: skip
    said_alone = for_cures(question, parsed, settings, warp, warps, by_place)
    found = [*by_place.values(), *lost_lines(warp)]
    for item in (*found, *said_alone):
        item["place"] = [parsed.origin(at) for at in item["place"]] if "place" in item else []
    return [*said, *merged(found), *not_read(question, parsed, parsed.unseen), *said_alone]


def shape(question: dict) -> str:
    return ",".join(map(str, question["block"])).removesuffix(",1").removesuffix(",1")


def lost_lines(warp) -> list[dict]:
    ops = {}
    for (*_, op), was in warp.lost.items():
        ops.setdefault(was, []).append(op)
    return [{"text": text, "place": [at], "lost": problem, "faults": problem.endswith(memory.FAULTS), "space": space,
             "op": of[0] if len({*of}) == 1 else ""} for (text, at, problem, space), of in ops.items()]  # fmt: skip


def of_each(question: dict, problem) -> list[dict]:
    """Instead of a problem that has kernels, or what is not read."""
    kernels, parsed = getattr(problem, "kernels", []), getattr(problem, "parsed", None)
    unread = not_read(question, parsed, parsed.unseen) if parsed else []
    if not kernels and not unread:
        raise problem
    names, lines = [name for _, name in kernels], []
    for at, name in kernels:
        label = f" ({parsed.shown(at)})" if names.count(name) > 1 else ""
        lines += of_kernel(question | {"at_line": at}, parsed, name, at, label)
    return together([*lines, *unread]) if lines or not question["every_warp"] else unread


def for_cures(question: dict, parsed, settings: list[dict], warp, warps: dict[str, dict], found: dict) -> list[dict]:
    """Adds what every warp does with shared memory, where it has a conflict. Returns what else the function does with
    arrays that are accessed, such as other lines: a cure lays them out anew, too."""
    shared = [access for accesses in warps.values() for access in accesses.values() if access.array.space == "shared"]
    if not any(access.conflicts() for access in shared):
        return []
    whole, others, why = warp, warps, ""
    mine = {place: item for place, item in found.items() if item["space"] == "shared"}
    is_known = not parsed.wanted and (question["every_warp"] or not warp.last_warp)
    for every in () if is_known else (warp.last_warp > 0, False):  # an assumed block may be too large
        of_shared = dataclasses.replace(parsed, wanted=0, only_shared=True)
        whole = interpreter.Warp(of_shared, question["block"], question["space"], warp.given)
        whole.assumed, whole.moves = warp.assumed, warp.moves
        try:
            others = whole.warps(settings, every)
            why = "" if whole.is_whole else blocks.TOO_LONG
        except UserError as problem:
            why = str(problem).removeprefix(f"{parsed.what}: ")
        if not why or not warp.assumed:
            break
    if why:
        for item in mine.values():
            item["no_cure"] = item["no_cure"] or f"what else is done with the array is not known: {why}"
        return []
    names, asked = {access.array.name for access in shared}, {place[:3] for place in found}
    new = dict.fromkeys(place for accesses in others.values() for place, access in accesses.items()
                        if access.array.name in names and place[:3] not in asked)  # fmt: skip
    beside = {place: one_of(place, whole, others) | {"past_l1": False, "beside": True} for place in new}
    for place, item in (*mine.items(), *beside.items()):
        accesses = [access for of in others.values() for at, access in of.items()
                    if (*at[:3], at[3].name) == (*place[:3], place[3].name)]  # fmt: skip
        if {access.width for access in accesses} == {item["width"]}:
            item["all"] = every_step(accesses)
        else:
            item["no_cure"] = item["no_cure"] or "what other warps do with the array is not known"
    return [*beside.values()]


def every_step(accesses: list) -> list[dict]:
    """Each step of all warps once, with how many it stands for."""
    weights = {}
    for access in accesses:
        for _, weight, step in access.named_steps():
            key = tuple(memory.lanes_of(step))
            weights[key] = weights.get(key, 0) + (weight or 1)
    return [{"lanes": step, "weight": weight} for step, weight in weights.items()]


def depends_on_block(question: dict, parsed, warp) -> bool:
    """Of a block that is not given."""
    names = ("blockDim", *(("threadIdx",) if parsed.path else ("threadIdx.y", "threadIdx.z")))  # a line has its own
    return not question["block_given"] and any(item.startswith(names) for item in warp.used if item)


def launch_of(question: dict, warp, given: dict, warps: dict[str, dict]) -> list[int]:
    """Threads and bytes of shared memory of a block, blocks of the grid, as far as they are known; else 0."""
    arrays = {access.array for access in warps["warp 0"].values() if access.array.space == "shared"}
    grid = [given.get(f"gridDim.{axis}", [axis != "x" and f"blockIdx.{axis}" not in warp.used]) for axis in "xyz"]
    threads = math.prod(question["block"]) * bool(question["block_given"] or question["launched"])
    return [threads, sum(item.bytes for item in arrays), math.prod(map(max, grid))]


def rows_of(question: dict, parsed, settings: list[dict], warp, warps: dict[str, dict]) -> dict[tuple, int]:
    """Of a block narrower than a warp how many rows it had if it were as wide, by the accesses that then have one
    address at a time and now have more."""
    (x, y, z), wide = question["block"], {}
    rows = x * y // memory.LANES
    many = {place[:3] for place, access in warps["warp 0"].items() if access.array.space == "global"
            and any(1 < len({*step.values()}) <= memory.LANES // x for step in access.steps.values())}  # fmt: skip
    if many and z == 1 and x < memory.LANES and x * y == rows * memory.LANES:
        other = interpreter.Warp(parsed, [memory.LANES, rows, 1], question["space"], warp.given)
        other.moves = warp.moves
        with contextlib.suppress(UserError):
            wide = other.warps(settings, False)["warp 0"]
    return {place[:3]: rows for place, access in wide.items() if place[:3] in many
            and all(len({*step.values()}) == 1 for step in access.steps.values())}  # fmt: skip


def notes_of(question: dict, parsed, launch: Launch, warp, warps: dict[str, dict]) -> list[str]:
    """What was judged, and what was taken for granted."""
    block, notes = ",".join(map(str, question["launched"])), []
    if depends_on_block(question, parsed, warp):
        is_launched = parsed.program.launches(parsed.line(parsed.body.location), parsed.body.spelling)
        why = " and the launch's is not known" if is_launched else " and no launch found" if parsed.path else ""
        of_block = f"block {block} {question['how']}; --block gives another"
        notes.append(of_block if block else f"--block not given{why}: judged for --block {shape(question)}{NO_BLOCK}")
    if question["space"] == "shared":
        notes += [f"{name}{TAKEN}" for name in sorted(warp.taken)]
    notes += [f"{parsed.instance}, as the program has it; NAME=VALUE gives another"] if parsed.instance else []
    warps_of_block = -(-math.prod(question["block"]) // memory.LANES)
    if question["every_warp"]:
        notes += ["a gate by line moves with the file: name the kernel"] if parsed.path and parsed.wanted else []
        notes += [f"{function}'s {', '.join(names)}: taken to begin a line, since its callers are not in this file"
                  for function, *names in launch.taken]  # fmt: skip
        notes += [f"{what}: {why}" for what, why in warp.guessed.items()]
        passed = [what for what, was in warp.chosen.items() if len(was) == 1]
        notes += [f"{what} is decided by the values given: the other branch is not judged" for what in passed]
    elif warps_of_block > 1 and (question["block_given"] or block) and parsed.body.spelling != front_end.BODY:
        notes.append(f"{ONE_WARP} {warps_of_block}; --fail-on judges every warp")
    joined = "nvcc reduces the values of a warp first (gpufx ask warp reduction), and one lane does the atomic"
    notes += [f"{access.text}: {joined}" for access in warps["warp 0"].values()
              if any(access.joined(step) != step for step in access.steps.values())]  # fmt: skip
    missing = {wish for _, _, problem, _ in warp.lost.values() for wish in values.wishes(problem)}  # which say so
    names = sorted(w.removesuffix("=VALUE") for w in warp.cancelled - missing if not w.startswith("gridDim"))
    if names and not question["every_warp"]:
        notes.append(f"no value is given of {', '.join(names)}, which warp 0 multiplies by 0 and other warps may not")
    notes += warp.merged
    both = [text for text, has_two in warp.parted if has_two]
    notes += [f"{', '.join(both)}: {PARTED}"] if both else []
    for text in [text for text, has_two in warp.parted if not has_two and not question["every_warp"]]:
        rounds = warp.parted[text, False].values()
        active, reach = sorted({sum(of.values()) for of in rounds}, reverse=True), max(map(len, rounds))
        shown = ", ".join(map(str, active[:6])) + " ..." * (len(active) > 6)
        notes += [f"{text}: branch by lane, {shown} of {reach} lanes active; {IDLE}"] if active != [1] else []
    here = "".join([*parsed.text(parsed.body).split(), *question["words"]])  # row[i]=0 is of other kernels, too
    notes += [f"{text} has a value of its own: the one given is not used"
              for text in sorted(warp.void | (warp.own - warp.asked)) if text in here]  # fmt: skip
    notes += [f"{', '.join(parts)}: parts of {name}, each judged as an array of its own; one that grows moves the next"
              for name, parts in warp.parts.items()]  # fmt: skip
    notes += list(warp.below.values())
    if warp.cut:
        cut = "; ".join(f"{rounds} of {loop}" for loop, rounds in warp.cut.items())
        notes.append(f"judged: of loops with too many rounds the first: {cut}")
    if warp.passed:
        notes.append(f"judged: of loops of many rounds those that differ from earlier ones: {'; '.join(warp.passed)}")
    if any(warp.judged.values()):
        blocks = "; ".join(f"{', '.join(map(str, [0, *at]))} along {axis}" for axis, at in warp.judged.items())
        notes.append(f"{BLOCKS} {blocks}")
    return notes


def not_read(question: dict, parsed, kernels: list[tuple[str, int, str]]) -> list[dict]:
    """Each in the place of its accesses: name, line, why."""
    lines = [{"text": name, "place": [parsed.place(line)], "lost": why,
              "unread": f"--file {parsed.path}:{name}: {why}"} for name, line, why in kernels]  # fmt: skip
    said = [{"note": f"{name} ({parsed.shown(line)}) is not judged", "always": True} for name, line, _ in kernels]
    return lines if question["every_warp"] else [*said, *lines]


def launches_of(question: dict, parsed, words: dict) -> list[Launch]:
    """Those of the program that differ in what the caller leaves open, with the values of parameters by name. A value
    that the caller gives goes before that of the program, unless launches differ in it."""
    name, found = parsed.body.spelling, {}
    launches = parsed.program.launches(parsed.line(parsed.body.location), name)
    if parsed.parameters and not any(launch.arguments for launch in launches):
        lists = parsed.program.instances(name)  # of kernels that other files launch, or pointers
        launches = [launch._replace(arguments=item) for item in lists for launch in launches or [Launch()]] or launches
    parameters, all_values = list(parsed.body.get_arguments()), {}
    of_address = (values.TypeKind.POINTER, values.TypeKind.RECORD)
    pointers = [i for i, item in enumerate(parameters) if cursors.kind_of(item) in of_address]
    for at, value in itertools.chain(*(launch.values for launch in launches)):
        all_values.setdefault(at, set()).add(value)
    for old in launches:
        own = [item for item, (_, is_given) in zip(old.arguments, parsed.parameters, strict=False) if not is_given]
        numbers, moves = ([((at, ".".join([parameters[at[0]].spelling, *at[1:]])), value) for at, value in of
                          if at[0] < len(parameters)] for of in (old.values, old.moves))  # fmt: skip
        passed = tuple((of, value) for (at, of), value in numbers
                       if value is not None and (of not in words or len(all_values[at]) > 1))  # fmt: skip
        launch = old._replace(values=passed, moves=tuple((of, by) for (at, of), by in moves if at[0] in pointers))
        key = (*own,), not question["block_given"] and launch.block, launch.values, launch.moves
        found.setdefault(key, []).append(launch)
    return [of[0]._replace(grid=tuple(sizes[0] if len({*sizes}) == 1 else None
                                      for sizes in zip(*(launch.grid for launch in of), strict=False)))
            for of in found.values()]  # fmt: skip


def labels_of(launches: list[Launch]) -> list[str]:
    """What tells them apart."""
    each = [[(f"block {','.join(map(str, of.block)) or '?'}", 1), *((f"{name}={n}", 1) for name, n in of.values),
             *((f"{name} moved by {by} bytes", by) for name, by in of.moves)] for of in launches]  # fmt: skip
    shared = set.intersection(*map(set, each))
    words = [" and ".join(text for text, is_told in of if is_told and (text, is_told) not in shared) for of in each]
    return [f"<{', '.join(of.arguments)}>" * bool(of.arguments) + f" with {text}" * bool(text)
            for of, text in zip(launches, words, strict=True)]  # fmt: skip


def together(lines: list[dict]) -> list[dict]:
    if not any("text" in line and "unread" not in line for line in lines):
        whys = [line.get("unread") or line["note"] for line in lines if "always" not in line]
        raise UserError("; ".join(whys)) from None
    return sorted(lines, key=lambda line: "lost" in line)  # those are the last ones


def of_kernel(question: dict, parsed, name: str, line: int, label: str = "") -> list[dict]:
    """An answer whose sentences begin with the name of the kernel; one that can't be read lets no gate pass. `label`:
    which of its launches, or of several kernels."""
    path = parsed.path
    try:
        is_first = path and "launch" not in question
        lines = answer(question | {"file": f"{path}:{name}" if is_first else question["file"]})
    except UserError as problem:
        why = str(problem).removeprefix(f"--file {path}:{name}: ").removeprefix(f"{parsed.what}: ")
        if not str(problem).endswith(front_end.NO_ACCESS):
            return not_read(question, parsed, [(name + label, line, why)])
        lines = [{"note": "no access to memory"}]
    said = {"text", "note", "open"}
    return [item if "kernel" in item else item | {key: f"{name}{label}: {item[key]}" for key in said & item.keys()} |
            {"kernel": f"{name}{label}", "said": item.get("note", item.get("open"))} for item in lines]  # fmt: skip


def opens_of(question: dict, parsed, warp, not_reached: str) -> list[str]:
    """What a gate can't pass on."""
    opens = [f"{name} is not declared: its accesses are not priced; declare it, '{front_end.declaration(parsed, name)}'"
             for name in parsed.unpriced]  # fmt: skip
    opens += list(warp.not_judged)
    opens += [f"of {loop} {done} rounds are judged, and others may differ: give values with fewer rounds"
              for loop, done in warp.cut.items() if question["every_warp"]]  # fmt: skip
    opens += [absent] if (absent := parsed.absent()) else []
    if question["every_warp"] and not question["launched"] and depends_on_block(question, parsed, warp):
        opens.append(f"block {shape(question)} assumed, and verdicts depend on it: --block gives another")
    opens += [f"what {parsed.shown(line)} launches is not known, and may be this kernel: --block gives its block"
              for line in parsed.program.strangers(parsed.body.spelling) if not question["block_given"]]  # fmt: skip
    if not_reached:
        which = "no warp judged reaches" if question["every_warp"] else "the first warp does not reach"
        others = math.prod(question["block"]) > memory.LANES and not question["every_warp"]
        more = ", unless another warp does (--fail-on judges every warp)" if others else ""
        opens.append(f"{which} {not_reached}; give values that reach it{more}")
    return opens


def all_lost(warp) -> str:
    lost = list(dict.fromkeys(warp.lost.values()))
    missing = [values.wishes(problem) for _, _, problem, _ in lost]
    if len(lost) < 2 or not all(missing):
        return "; ".join(f"{text}: {problem}" for text, _, problem, _ in lost)
    wish = ", ".join(dict.fromkeys(itertools.chain(*missing)))
    return f"{lost[0][0]} and {len(lost) - 1} more: not judged, since values are missing: give {wish}"


def merged(lines: list[dict]) -> list[dict]:
    """Equal accesses once, and in their text what tells them apart, and how many there are."""
    found, keys = [], [line | {"place": "", "loop": 0} for line in lines]
    for i, line in enumerate(lines):
        does = {other["op"] for other in lines if other["text"] == line["text"]} - {""}
        times = keys.count(keys[i])
        words = [line["op"]] * (len(does) > 1 and line["op"] in does) + [f"{times} times"] * (times > 1)
        if keys[i] not in keys[:i]:
            places = {at for other, key in zip(lines, keys, strict=True) if key == keys[i] for at in other["place"]}
            text = line["text"] + (f" ({', '.join(words)})" if words else "")
            found.append(line | {"text": text, "place": sorted(places)})
    return found


def together_said(lines: list[dict]) -> list[dict]:
    """What is said alike of several kernels once, with their names."""
    groups = {}
    for line in lines:
        key = (line["said"], "note" in line, line.get("space")) if line.get("said") else id(line)
        groups.setdefault(key, []).append(line)
    for group in (group for group in groups.values() if len(group) > 1):
        names = ", ".join(dict.fromkeys(line["kernel"] for line in group))
        group[0]["note" if "note" in group[0] else "open"] = f"{names}: {group[0]['said']}"
    return [first for first, *_ in groups.values()]


def placed(lines: list[dict]) -> list[dict]:
    """With a label, of file and lines."""
    for line in (line for line in lines if "place" in line):
        places = [at for at in line["place"] if at[0]]
        line["label"] = f"{Path(places[0][0]).name}:{','.join(str(at) for _, at in places)}: " if places else ""
        line["place"] = "\n".join(annotation.place(str(Path(at).absolute()), line) + "," for at, line in places)
    return lines


def one_of(place, warp, warps: dict[str, dict]) -> dict:
    """An access of the first warp that makes it; others: steps of later warps, each shape once."""
    first, *later = (name for name, accesses in warps.items() if place in accesses)
    access, steps, others, known = warps[first][place], [], [], set()
    many = len(access.steps) > 1
    for name in (first, *later):
        is_other = name != first
        for at, weight, step in warps[name][place].named_steps():
            one = {"warp": name, "weight": None if is_other else weight, "lanes": memory.lanes_of(step)}
            words = ", ".join([at] * many + [name] * is_other)
            if not is_other or memory.shape(step) not in known:
                (others if is_other else steps).append(one | ({"id": words} if words else {}))
            known.add(memory.shape(step))
    return {
        "text": access.text + (f" of {first}" if first != "warp 0" else ""),
        "place": [access.at],
        "array": access.array.name,
        "loop": access.loops[-1][1] if access.loops else 0,
        **fields_of(access, "op size width no_cure ld"),
        **fields_of(access.array, "space element element_bytes sizes"),
        "part": warp.wide.get(place, (0, 0))[1],
        "steps": steps,
        "others": others,
    }


def main() -> int:
    end_at_once()
    gc.disable()  # a short life: what is found again costs more than it frees
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        lines = answer(question := json.loads(sys.argv[1]))
    except UserError as problem:
        lines = (question["every_warp"] and getattr(problem, "unjudged", None)) or [{"error": str(problem)}]
        path = question["file"]  # with a name after it, that is what is missing
        is_empty = not MISSING and str(problem) == f"--file {path}: {front_end.NO_KERNEL}" and Path(path).exists()
        if question["every_warp"] and is_empty and b"__global__" not in Path(path).read_bytes():
            lines = [{"note": f"no kernel in {path}: nothing to judge", "always": True, "empty": True}]
    except Exception as problem:
        return unforeseen("gpufx pattern", problem)
    for line in placed(together_said(lines)):
        print(json.dumps(line, separators=(",", ":")))
    sys.stdout.flush()
    os._exit(0)  # to free what Python and libclang hold takes a sixth of a short call


if __name__ == "__main__":
    sys.exit(main())
