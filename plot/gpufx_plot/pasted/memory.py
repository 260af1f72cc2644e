"""Where the text's variables lie: arrays of shared, global and constant memory, whose accesses are recorded, and arrays
of registers, which hold values."""

import itertools
import math
import re
from dataclasses import dataclass, field, replace

from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

from . import cursors
from .cursors import LOOPS, THROUGH, is_pointer, kind_of
from .fields import WIDEST, Copies, window_of
from .front_end import Parsed
from .rounds import Leaps
from .values import ARRAYS, POINTERS, Array, Fields, Pointer, Unknown, fields_of, moved, spread, wishes

LANES, LINE, PERIOD, FAR = 32, 128, 256, 1 << 40  # PERIOD: bytes; of banks, sectors and lines
ATOMICS = ("atomic", "fetch", "cas", "inc")
INVENTED = "the addresses follow from a value that was given"
LOOP, FAULTS = "loop", " faults on the GPU (misaligned address)"
MOST_HOPS = 64  # of a list
MOST_UNROLLED, MOST_UNEVEN, SLOW = 192, 64, 16  # rounds; SLOW: times, where a function of some hundred instructions is
MOST_OF_CALL = 60  # letters of its text
VARIABLES = (Kind.VAR_DECL, Kind.PARM_DECL)
FUNCTIONS = (Kind.FUNCTION_DECL, Kind.CXX_METHOD)
CONTAINERS = (*LOOPS, Kind.UNEXPOSED_STMT, Kind.IF_STMT, Kind.COMPOUND_STMT, Kind.SWITCH_STMT)


@dataclass
class Access:
    """One place in the text, and the lanes' offsets in each of its executions."""

    array: Array
    text: str
    at: tuple  # file and line
    op: str
    size: int
    width: int  # of the instructions that an execution takes
    loops: tuple  # around it: the place of each in a key of steps, and its cursor's hash
    no_cure: str  # why another layout says nothing: after a value that the caller gives for what memory holds
    joins: int  # active lanes for which one lane does it; 0: each does
    weights: dict  # rounds that a round of a loop stands for, by the loop and the key of a step up to it
    side: tuple | None  # of an `if`, that it is on, if nvcc may merge it with the other
    element: tuple  # type and bytes of what an index chooses, also of whose field it is; (): it has none
    window: int  # bytes that one instruction can have of the struct that it is a copy or a field of
    field: int | None  # its declaration
    done: tuple  # the first time: what the lane did up to it, and where in that
    ld: int = 0  # bytes between rows of a tile that one instruction has; 0: of none
    is_volatile: bool = False
    fields: dict = field(default_factory=dict)  # of a copy: bytes and names by offset
    used: set = field(default_factory=set)  # of a copy: bytes that the text uses
    steps: dict = field(default_factory=dict)  # by rounds of the loops around it: offsets by active lane
    turns: dict = field(default_factory=dict)  # of each step: conditions and barriers before, `doubts`, turns to stores
    starts: set = field(default_factory=set)  # offsets in the array of pointers in its text, with each
    members: dict = field(default_factory=dict)  # of each step: those of its pointers

    def instructions(self) -> list[dict[int, int]]:
        """The steps in their order, as the machine code executes them."""
        return [self.joined(self.steps[key]) for key in sorted(self.steps)]

    def conflicts(self) -> bool:
        """Whether words of several lanes may lie in one bank of shared memory."""
        steps = self.instructions() if self.array.space == "shared" else ()
        return any(max(passes(step, self.width)) > 1 for step in steps)

    def named_steps(self) -> list[tuple]:
        """Name, weight and lanes of each step; where rounds stand for others, the name has the number of each loop's
        round."""
        keys = sorted(self.steps)
        weights = [math.prod(self.weights.get((loop, *key[: at + 1]), 1) for at, loop in self.loops) for key in keys]
        rounds = [".".join(str(key[at] + 1) for at, _ in self.loops if at < len(key)) for key in keys]
        names = rounds if max(weights) > 1 else [f"{i} of {len(keys)}" for i in range(1, len(keys) + 1)]
        return [(f"step {name}", *of) for name, *of in zip(names, weights, self.instructions(), strict=True)]

    def shifted(self, by: int, **changes) -> "Access":
        steps = {key: {lane: at + by for lane, at in step.items()} for key, step in self.steps.items()}
        return replace(self, steps=steps, **changes)

    def move_down(self, by: int) -> None:
        for step in self.steps.values():
            step.update({lane: at - by for lane, at in step.items()})

    def to_member(self) -> None:
        """Makes it one of the array in a struct that all its steps go through, each within one such struct."""
        ways = [way for step in self.members.values() for way in step]
        arrays = {way and way[0] for way in ways}
        if len(arrays) != 1 or None in arrays or len(ways) != len(self.steps):
            return
        (array,), starts = arrays, {key: start for key, ((_, start),) in self.members.items()}
        is_inside = all(starts[key] <= at < starts[key] + array.bytes
                        for key, step in self.steps.items() for at in step.values())  # fmt: skip
        if is_inside and all(start % max(4, self.width) == 0 for start in starts.values()):
            self.array, self.starts = array, {None}
            for key, step in self.steps.items():
                step.update({lane: at - starts[key] for lane, at in step.items()})

    def misaligned(self) -> str:
        """Why it faults: FAULTS behind it where the array may begin anywhere. "": it doesn't."""
        lanes = [item for step in self.steps.values() for item in step.items()]
        lane, at = min(((lane, at) for lane, at in lanes if at % self.width), default=(0, None))
        if at is None:
            return ""
        is_sure = len({at % self.width for _, at in lanes}) > 1
        line = f"line {self.at[1]}, " if self.at[0] else ""
        rest = f"{self.width} bytes at offset {at}, which is not a multiple of {self.width},"
        where = f"{line}lane {lane}: an access of {rest}"
        return where + (FAULTS if is_sure else f"{FAULTS}, unless {self.array.name} begins elsewhere: not judged")

    def joined(self, step: dict[int, int]) -> dict[int, int]:
        joins = 0 < self.joins <= len(step) and len({*step.values()}) == 1
        return dict([min(step.items())]) if joins else step


def root_of(place):
    """The pointer that is a variable of the function and that an access goes through; None: there is none."""
    while place.kind != Kind.DECL_REF_EXPR:
        inner = [item for item in place.get_children() if item.kind.is_expression()]
        pointers = [item for item in inner if kind_of(item) in (TypeKind.POINTER, *ARRAYS)]
        if not (inner := pointers[:1] if len(inner) > 1 else inner):
            return None
        place = inner[0]
    variable = place.referenced
    return variable if variable is not None and variable.kind == Kind.VAR_DECL and is_pointer(variable) else None


def begin_at_0(accesses: list) -> None:
    """Lets arrays that pointers point into begin with what these do, or with what is accessed before that."""
    begins = {}
    for access in accesses:
        lowest = min(at for step in access.steps.values() for at in [access.array.start, *step.values()])
        begins[access.array] = min(begins.get(access.array, lowest), lowest // PERIOD * PERIOD)
    for access in accesses:
        access.move_down(begins[access.array] if access.array.start else 0)


def parts_of(accesses: list, arrays: dict) -> dict:
    """Turns accesses through pointers to parts of one array of shared memory, none of which reaches into another, into
    accesses of arrays of their own, by pointer. Returns names of pointers by that of the array."""
    found = {}
    for pool in dict.fromkeys(access.array for access in accesses if access.array.space == "shared"):
        uses = [access for access in accesses if access.array is pool]
        begins = [{item or (0, pool) for item in access.starts} for access in uses]  # or by its own name
        starts, arrays = set().union(*begins), arrays | {pool: pool}
        if len(pool.sizes) > 1 or any(len(of) > 1 for of in begins):
            continue
        parts = dict(sorted(starts, key=lambda item: item[0]))
        ends = dict(itertools.pairwise([*parts, 1 << 31]))
        reach = [(start, access, at) for access, ((start, _),) in zip(uses, begins, strict=True)
                 for step in access.steps.values() for at in step.values()]  # fmt: skip
        is_same = [*parts] == [0] and (arrays[parts[0]].element, arrays[parts[0]].sizes) == (pool.element, [])
        is_same = is_same or [*parts.values()] == [pool]
        is_apart = len(parts) == len(starts) and all(
            start <= at < ends[start] and start % access.width == 0 for start, access, at in reach)  # fmt: skip
        if is_same or not is_apart:
            continue
        found |= {pool.name: [pointer.name for pointer in parts.values()]} if len(parts) > 1 else {}
        for access, ((start, pointer),) in zip(uses, begins, strict=True):
            access.array = arrays[pointer]
            access.move_down(start)
    return found


def by_element(accesses: list) -> None:
    """Makes an array of shared memory one of what all accesses of it are, if they have an index in these."""
    for array in dict.fromkeys(access.array for access in accesses):
        of = [access for access in accesses if access.array is array]
        elements = {access.element or ("", access.size) for access in of}
        named = {element for element in elements if element[0]}
        if array.space == "shared" and len(array.sizes) < 2 and len(named) == len({size for _, size in elements}) == 1:
            ((element, size),) = named
            sizes = [count * array.element_bytes // size for count in array.sizes]
            new = replace(array, element=element, element_bytes=size, sizes=sizes)
            for access in of:
                access.array = new
        if array.space == "shared" and (lds := {access.ld for access in of} - {0}):
            (row, *others), whole = lds, of[0].array
            new = replace(whole, sizes=[whole.bytes // row, row // whole.element_bytes])
            for access in of:
                access.array = new
                access.no_cure = "its tiles have rows of several lengths" if others else access.no_cure


def lanes_of(step: dict[int, int]) -> list[int]:
    return [step.get(lane, -1) for lane in range(LANES)]


def shape(step: dict[int, int]) -> tuple:
    """Offsets that banks, sectors and lines don't tell from the step's own."""
    begin = min(step.values()) // PERIOD * PERIOD
    return tuple((lane, offset - begin) for lane, offset in step.items())


def passes(step: dict[int, int], width: int) -> list[int]:
    """Of each part of a warp that shared memory serves at once, words in the busiest bank."""
    lanes = 4 * LANES // max(width, 4)
    parts = ({at // 4 for lane, at in step.items() if lane // lanes == part} for part in range(LANES // lanes))
    return [max(map(banks.count, banks)) for words in parts if (banks := [word % LANES for word in words])]


def plain(spelling: str) -> str:
    """A type without qualifiers; a struct without a name has none."""
    return re.sub(r"\b(const|volatile)\b ?|\(unnamed.*|\(anonymous.*", "", spelling).strip()


def indexed_in(cursor) -> tuple:
    """Of t[i] or t[i].x: the type and bytes of t[i]."""
    while cursor.kind == Kind.MEMBER_REF_EXPR and (inner := next(cursor.get_children(), None)):
        cursor = inner
    kind = cursor.type.get_canonical()
    return (plain(kind.spelling), kind.get_size()) if cursor.kind == Kind.ARRAY_SUBSCRIPT_EXPR else ()


def element_of(kind):
    """The innermost element and the sizes of an array type; 0: not known."""
    sizes = []
    while kind.kind in ARRAYS:
        sizes.append(kind.element_count if kind.kind == TypeKind.CONSTANTARRAY else 0)
        kind = kind.get_array_element_type().get_canonical()
    return kind, sizes


def holds_address(kind) -> bool:
    """A pointer, a lambda, or a struct that has one."""
    kind = element_of(kind.get_canonical())[0]
    if kind.kind != TypeKind.RECORD:
        return kind.kind in POINTERS
    parts = [item for item in kind.get_declaration().get_children() if item.kind == Kind.CXX_BASE_SPECIFIER]
    return kind.get_size() < 0 or "(lambda" in kind.spelling or any(
        holds_address(item.type) for item in (*parts, *fields_of(kind)))  # fmt: skip


def is_memory(cursor) -> bool:
    """A declaration with a qualifier of CUDA, or a pointer that nobody sets."""
    if cursor.kind not in VARIABLES:
        return False
    return bool(cursors.notes(cursor) - {"global"}) or (is_pointer(cursor) and cursors.initializer(cursor) is None)


class Memory(Leaps, Copies):
    """`space`: of a plain array where nothing in the text has a qualifier."""

    def __init__(self, parsed: Parsed, space: str):
        Leaps.__init__(self)
        Copies.__init__(self)
        self.parsed, self.space = parsed, space
        self.arrays, self.registers, self.accesses, self.known = {}, {}, {}, {}
        self.elsewhere = set()  # file and line of accesses that are not asked for
        self.past_l1 = set()  # loads that only the L2 caches, by cursor
        self.joins, self.bound_to = {}, {}  # by cursor, as of Access; by parameter: arguments of calls
        self.latest, self.values = {}, {}  # places of variables by name, for the values that the caller gives to texts
        self.bindings = {}  # names of auto [x, y]: the variable that each is a part of, where, and as window_of
        self.known_places: dict[int, tuple] = {}  # of accesses: is it asked for, text, file and line, the cursor's hash
        self.elements, self.reached = {}, set()  # elements of memory, by call and cursor: those asked for; those used
        self.lost = {}  # by path, cursor, op: text, file and line, why it, or a loop's rounds, can't be judged; memory
        self.path, self.paths = (), {}  # calls that are running; by cursor: paths that reach it
        self.cursors, self.below = {}, {}  # of calls, by hash; arrays that begin before a pointer, with words about it
        self.calls, self.used = [], set()  # calls: whether each is in what is wanted, and where; used: names of CUDA
        self.lane, self.round, self.within = 0, (), not parsed.wanted
        self.first = self.last = parsed.wanted
        self.taken = set()  # arrays without __shared__, of `space`
        self.own, self.asked = set(), set()  # given names that the text gives a value; that take the given one
        self.chosen_of, self.counts, self.slow = {}, {}, set()  # of lose_large; rounds of loops; slow functions in them
        self.updated, self.updating, self.contended = {}, {}, set()  # by word, by access: who has; where others meet it
        self.pointees, self.parts = {}, {}  # of pointers: arrays; by an array's name: pointers to parts of it
        self.inside, self.unrolls = (), {}  # loops, as of Access; rounds that `#pragma unroll` names
        self.loops, self.doubted = {}, set()  # by hash: their cursors; those that nvcc may not unroll
        self.invented, self.turn, self.does = False, 0, {}  # does: the latest op on each array, and turns
        self.doubts = 0  # so far: what nvcc may not move a load or a store across
        self.array_at, self.of_lane_0 = {}, {}  # of an execution by a warp: the array and base; what lane 0 hands on
        self.moves = {}  # bytes that a launch moves a pointer by, by parameter
        self.bulk = set()  # arrays that bulk copies read or fill
        self.bases = {}  # numbers of places in memory that hold pointers
        self.of_block = self.assumed = ""  # another than block 0; a block that nobody gave; for messages
        self.in_constant = [item.hash for item in parsed.body.get_arguments()]
        self.names = {item.spelling for item in parsed.body.walk_preorder() if item.kind in VARIABLES}
        tops = (parsed.body, *parsed.outside)
        self.qualified = any(is_memory(item) for top in tops for item in top.walk_preorder())
        for item in parsed.body.walk_preorder() if parsed.wanted else ():  # the innermost statement on the line
            rows = parsed.rows(item)
            is_head = item.kind in LOOPS and rows.start == parsed.wanted
            if parsed.wanted in rows and (is_head or item.kind not in (*CONTAINERS, parsed.body.kind)):
                self.first, self.last = rows.start, rows.stop - 1
                break

    def refuse(self, cursor, problem):
        raise self.parsed.unjudged(f"{problem} at {self.parsed.where(cursor)}", [self.parsed.body])

    def unknown(self, cursor, why) -> Unknown:
        return Unknown(why, self.parsed.where(cursor))

    def lose(self, cursor, problem, value=None, form="{}", op="", space=""):
        """Goes on without it. value: that is not known, with its reason. space: the memory; "": any."""
        if value is not None:
            why, give, what = value.why.partition(": give ")
            problem += f": {why} ({value.where}){give}{what}" if value.where else f": {value.why}"
        text = form.format(self.parsed.text(cursor))
        new = (text, self.parsed.at(cursor.extent.start), f"not judged, {problem}", space)
        self.paths.setdefault(cursor.hash, {})[self.path] = 0
        before = self.lost.get(key := (self.path, cursor.hash, op), new)  # of lane 0, where a stride may count 0 times
        most = max(before, new, key=lambda item: len(wishes(item[2])))
        self.lost[key] = (*most[:3], space if space == before[3] else "")

    def also_loses(self, key, space: str) -> None:
        self.lost[key] = (*self.lost[key][:3], space if space == self.lost[key][3] else "")

    def at_call(self, path, number):
        """The call, of several, by which this path reaches the cursor; None: there is one path."""
        differs = (call for at, call in enumerate(path, 1) if any(way[:at] != path[:at] for way in self.paths[number]))
        return next(differs, None)

    def named(self, path, number, text: str, at: tuple) -> tuple:
        """Text and place of what a function does, told from what it does by another call."""
        if (call := self.at_call(path, number)) is None:
            return text, at
        whole = self.parsed.text(self.cursors[call])
        whole = whole if len(whole) < MOST_OF_CALL else f"{self.cursors[call].spelling}(...)"
        does = {other for other, paths in self.paths.items() for way in paths if self.at_call(way, other) == call}
        return whole if len(does) == 1 else f"{whole}: {text}", self.parsed.at(self.cursors[call].extent.start)

    def array_of(self, declaration) -> Array:
        if declaration.hash in self.arrays:
            return self.arrays[declaration.hash]
        kind, notes = declaration.type.get_canonical(), cursors.notes(declaration)
        element, sizes = element_of(kind)
        name, spelling = declaration.spelling, declaration.type.spelling
        fields = fields_of(kind)
        if len(fields) == 1 and element_of(fields[0].type.get_canonical())[1]:  # a tile in a struct of its own
            element, sizes = element_of(fields[0].type.get_canonical())
            name, spelling = f"{name}.{fields[0].spelling}", fields[0].type.get_canonical().spelling
        space = next((item for item in ("shared", "constant") if item in notes), "global" if "device" in notes else "")
        if kind.kind == TypeKind.POINTER or declaration.kind == Kind.PARM_DECL:
            space = ""
        elif sizes and not self.qualified and not space:
            space = self.space
            self.taken.add(name)
        written = spelling.split("[")[0].strip() if sizes else kind.spelling
        whole = kind.get_size() if 0 not in sizes else 0
        found = Array(name, space, max(whole, 0), plain(written), element.get_size(), sizes)
        return self.arrays.setdefault(declaration.hash, found)

    def pointed_to(self, key, name: str, kind) -> Pointer:
        """A pointer that nobody set: it points to an array of its own."""
        if key not in self.arrays:
            element, _ = element_of(kind if kind.kind in ARRAYS else kind.get_pointee())
            size, alone = max(element.get_size(), 1), kind.is_restrict_qualified()
            self.arrays[key] = Array(name, "global", 0, plain(element.spelling), size, [], FAR, alone)
        return Pointer(self.arrays[key], self.arrays[key].start)

    def loaded_from(self, where, name: str, kind):
        """A pointer that memory holds: another for each place."""
        place, depth = where, 1
        if isinstance(where, Pointer):
            place, depth = (where.array, where.offset, where.base), where.base[1] + 1
        if depth > MOST_HOPS:
            return Unknown(f"{name} follows more than {MOST_HOPS} pointers that are in memory")
        base = self.bases.setdefault(place, (len(self.bases) + 1, depth))
        return self.pointed_to(name, name, kind)._replace(base=base)

    def member(self, cursor, where):
        """The pointer, also to an array of its own, for cures, where the field is one."""
        if not isinstance(where, Pointer) or where.array.space != "shared":
            return where
        kind = cursor.type.get_canonical()
        if kind.kind not in ARRAYS or where.array.name.endswith(f".{cursor.spelling}"):
            return where
        fields, at = "", cursor
        while at and at.kind in (Kind.MEMBER_REF_EXPR, Kind.ARRAY_SUBSCRIPT_EXPR, *THROUGH):
            fields = f".{at.spelling}{fields}" if at.kind == Kind.MEMBER_REF_EXPR else fields
            at = next(at.get_children(), None)
        if (key := (where.array, cursor.referenced.hash, fields)) not in self.arrays:
            name = (at.spelling if at and at.kind == Kind.DECL_REF_EXPR else where.array.name) + fields
            element, sizes = element_of(kind)
            written = plain(cursor.type.spelling.split("[")[0])
            self.arrays[key] = Array(name, "shared", kind.get_size(), written, element.get_size(), sizes)
        return where._replace(member=(self.arrays[key], where.offset))

    def name_of(self, cursor) -> str | None:
        """a.b of a variable's field; None: a function's own variable, of a name that is another's in the kernel."""
        children = list(cursor.get_children())
        if cursor.kind in THROUGH and len(children) == 1:
            return self.name_of(children[0])
        if cursor.kind == Kind.DECL_REF_EXPR:
            place = cursor.referenced.location
            is_own = place.offset in cursors.extent_of(self.parsed.body) or not self.parsed.line(place)
            is_other = cursor.spelling in self.names and not is_own
            return None if is_other and cursor.referenced.semantic_parent.kind in FUNCTIONS else cursor.spelling
        before = self.name_of(children[0]) if cursor.kind == Kind.MEMBER_REF_EXPR and children else None
        return f"{before}.{cursor.spelling}" if before else None

    def is_wanted(self, cursor) -> bool:
        return not self.parsed.wanted or self.first <= self.parsed.line(cursor.location) <= self.last

    def element(self, cursor, base):
        """Its key in `reached`; one that is asked for, and of no array of registers, is to be reached."""
        key = (*(at for _, at in self.calls), cursor.hash)
        while base.kind == Kind.ARRAY_SUBSCRIPT_EXPR or (base.kind in THROUGH and len(list(base.get_children())) == 1):
            base = next(base.get_children())
        variable = base.referenced if base.kind == Kind.DECL_REF_EXPR else None
        is_other = variable and (self.registers_of(variable) or self.is_left_out(variable))
        if not is_other and (self.is_wanted(cursor) or self.is_in_wanted()):
            path, line = self.parsed.origin(self.parsed.at(cursor.extent.start))
            of = "" if path == self.parsed.path else f"{path} "
            at = f"{of}line {line}, " if of or len(self.parsed.lines) > 1 else ""
            self.elements[key] = at + self.parsed.text(cursor), (path, line)
        return key

    def indexed(self, cursor, where, why):
        """where, which is lost where it is of an array in local memory. why: as of local_because."""
        if why is not None and isinstance(where, Pointer) and not where.array.space:
            if why and where.array not in [self.arrays.get(item) for item in self.in_constant]:
                self.lose_local(cursor, where.array.name, why)
            elif not (why or self.known["tid"] or self.of_block):
                new = (cursor, where.array.name, self.inside, {})
                self.chosen_of.setdefault((self.path, cursor.hash), new)[-1][self.round] = where.offset
        return where

    def lose_local(self, cursor, name: str, why: str) -> None:
        if (self.path, cursor.hash, "") not in self.lost:
            why = f"since {name or 'it'} (no __shared__?) may lie in local memory: {why}"
            self.lose(cursor, why, space="global")

    def lose_large(self) -> None:
        """Arrays of the thread that need more loops unrolled than nvcc does. (13.0, sm_90: of one loop 192 rounds are,
        and 256 are not, of nested ones 9 * 9 * 9; where the inner bound is the outer variable, not always 8 * 8.)"""
        needed = set()
        for _, _, loops, chosen in self.chosen_of.values():
            for at, loop in loops:
                firsts = {}
                if any(firsts.setdefault((*key[:at], *key[at + 1 :]), to) != to for key, to in chosen.items()):
                    needed.add(loop)
        for (path, _), (cursor, name, loops, _) in self.chosen_of.items():
            counts = {loop: self.counts.get(loop) or {1} for _, loop in loops if loop in needed}
            free = {loop: of for loop, of in counts.items() if self.unrolls.get(loop) != math.inf}
            rounds = math.prod(max(of) * (SLOW if loop in self.slow else 1) for loop, of in free.items())
            least = MOST_UNROLLED if all(len(of) == 1 for of in free.values()) else MOST_UNEVEN
            if rounds > least or any(self.unrolls.get(loop, math.inf) < max(of) for loop, of in counts.items()):
                self.path = path
                self.lose_local(cursor, name, f"nvcc may not unroll the {rounds} rounds that choose from it")

    def with_elements(self, build, cursor):
        """What build makes of it, and the elements that are to be reached in it."""
        before = set(self.elements)
        return build(cursor), self.elements.keys() - before

    def is_in_wanted(self) -> bool:
        """What is read now is of a function whose call is asked for."""
        return any(wanted for wanted, _ in self.calls)

    def not_reached(self) -> str:
        return "; ".join(dict.fromkeys(text for key, (text, _) in self.elements.items() if key not in self.reached))

    def first_unreached(self) -> tuple | None:
        """File and line."""
        return next((at for key, (_, at) in self.elements.items() if key not in self.reached), None)

    def pointer_of(self, variable) -> Pointer:
        """Where it lies itself; what it points to is an array of its own for cures."""
        place, kind = Pointer(self.array_of(variable), 0), variable.type.get_canonical().get_pointee().get_canonical()
        element, sizes = element_of(kind)
        rows, size = [0, *sizes] if sizes else [], max(element.get_size(), 1)
        self.pointees[place.array] = Array(variable.spelling, "shared", 0, plain(element.spelling), size, rows)
        return place

    def this_lane(self) -> str:
        of = f" of warp {self.known['tid'] // LANES}" if self.known["tid"] >= LANES else ""
        return f"lane {self.lane}{of}"

    def known_place(self, cursor, alignment) -> tuple:
        """What clang takes longer to say than a lane to run."""
        if id(cursor) not in self.known_places:
            at, text = self.parsed.at(cursor.extent.start), self.parsed.text(cursor)
            by_value = any("[" in told and told in "".join(text.split())[:-1] for told in self.values)
            root = root_of(cursor)
            root = root and self.pointer_of(root)
            is_struct = cursor.kind == Kind.ASM_STMT or kind_of(cursor) == TypeKind.RECORD
            of_binding = cursor.kind == Kind.DECL_REF_EXPR and self.bindings.get(cursor.referenced.hash)
            part = (min(alignment, WIDEST), None) if is_struct else of_binding[2] if of_binding else window_of(cursor)
            self.known_places[id(cursor)] = (self.is_wanted(cursor), text, at, cursor.hash, by_value, root, *part)
        return self.known_places[id(cursor)]

    def record(self, cursor, op, pointer, size, alignment, ld=0):
        """One execution of an access."""
        wanted, text, at, number, by_value, root, window, part = self.known_place(cursor, alignment)
        if not isinstance(pointer, Unknown):
            self.log.append((op, pointer.array, part))
        space = pointer.space if isinstance(pointer, Unknown) else pointer.array.space
        if not (self.within or wanted) or (self.parsed.only_shared and space in ("global", "constant")):
            return self.elsewhere.add(at)
        if isinstance(pointer, Unknown):
            return self.lose(cursor, f"since its address at {self.parsed.where(cursor)} is not known", pointer, op=op,
                             space=pointer.space)  # fmt: skip
        array, end = pointer.array, pointer.offset + size
        if size <= 0 or op == LOOP:
            loop = "it compiles to a compare-and-swap loop: `gpufx plot h200 --probe=atomics` has its cost"
            why = loop if size > 0 else f"its size at {self.parsed.where(cursor)} is not known"
            return self.lose(cursor, f"since {why}", op=op, space=array.space)
        before = array.start - pointer.offset
        if before > 0 and array.start:
            block = "; blockIdx.x=1 gives another block" if "blockIdx.x" in self.used else ""
            what = f"{text}: {self.this_lane()}{self.of_block} accesses {array.name} {before} bytes before its start"
            self.below.setdefault(array, f"{what}: judged as if {array.name} pointed into an array{block}")
        elif before > 0 or (array.bytes and end > array.bytes):
            side = "before the start" if before > 0 else "beyond the end"
            what = f"{self.this_lane()}{self.of_block}{self.assumed} accesses {array.name} {side} of the array"
            self.refuse(cursor, f"{what}, at byte {pointer.offset},")
        other, base = self.array_at.setdefault((self.path, number, op, self.round), (array, pointer.base))
        if (other, base) != (array, pointer.base):
            how = "access different arrays" if other is not array else "have pointers from different places in memory"
            if (self.path, number, op) not in self.lost:
                self.lose(cursor, f"since its lanes at {self.parsed.where(cursor)} {how}", op=op, space=array.space)
            self.also_loses((self.path, number, op), array.space)
            return self.works(cursor)
        self.paths.setdefault(number, {})[self.path] = 0
        self.meets((self.path, number, op), pointer, self.known["tid"])
        if (access := self.accesses.get((self.path, number, op, array))) is None:
            whole = size <= WIDEST and size & (size - 1) == 0 and alignment >= size
            is_invented = self.invented and (by_value or op in ATOMICS)
            width, no_cure = size if whole else min(alignment, WIDEST), INVENTED if is_invented else ""
            joins = self.joins.get(number, 0) if op in ("atomic", "fetch") else 0
            access = Access(array, text, at, op, size, width, self.inside, no_cure, joins, self.weights, self.side,
                            indexed_in(cursor), window, part, (self.log, len(self.log) - 1), ld,
                            cursor.type.get_canonical().is_volatile_qualified())  # fmt: skip
            self.accesses[self.path, number, op, array] = access
        was, turns = self.does.get(array, (op, 0))
        self.does[array] = op, turns + (was != op)
        start = self.registers.get(root) if array.space == "shared" else None
        access.starts.add(begin := (start.offset, root.array) if isinstance(start, Pointer) else None)
        access.turns.setdefault(self.round, (self.turn, self.doubts, *self.does[array]))
        self.note((self.path, number, op), "@", pointer.offset)
        if begin or pointer.member:
            self.note((self.path, number, op), ".", (begin, pointer.member))
        access.members.setdefault(self.round, set()).add(pointer.member)
        access.steps.setdefault(self.round, {})[self.lane] = pointer.offset
        self.recorded = access
        return self.works(cursor)

    def meets(self, place: tuple, pointer: Pointer, thread: int) -> None:
        """Notes who updates a word of global memory, and whether others do."""
        if place[2] not in ATOMICS or pointer.array.space != "global":
            return
        who = (thread, *(self.known[axis] for axis in ("blockIdx.x", "blockIdx.y", "blockIdx.z")))
        self.updating.setdefault(place[:3], thread)
        if self.updated.setdefault((pointer.array, pointer.base, pointer.offset), who) != who:
            self.contended.add(place[:3])

    def register(self, where, kind, name, fields=()):
        """What it holds, or None."""
        self.used.add(name)
        if fields:
            return self.fields_at(where, kind, fields, name)
        found = self.registers.get(where)
        if found is None and kind.kind in (TypeKind.POINTER, *ARRAYS):
            pointer, (size, by) = self.pointed_to(where, name or where.array.name, kind), (1, self.moves.get(name, 0))
            if name in self.known and not by:  # in elements, where the launch's is not known or 0
                self.asked.add(name)
                size, by = pointer.array.element_bytes, self.known[name]
            self.own |= {name} & self.given
            return moved(pointer, by or 0, size)
        if name in self.known and (found is None or isinstance(found, Unknown)):
            self.asked.add(name)
            return self.known[name]
        self.own |= {name} & self.given
        return found

    def fields_at(self, where, kind, fields, name) -> Fields:
        """Of a struct, as a copy of it takes them: one without a value is what to give."""
        inside = range(where.offset, where.offset + kind.get_size())
        found = Fields({p.offset - where.offset: v for p, v in self.registers.items()
                        if p.array is where.array and p.offset in inside})  # fmt: skip
        for item in fields:
            full = f"{name}.{item.spelling}" if name else None
            at, inner = item.get_field_offsetof() // 8, item.type.get_canonical()
            if inner.kind not in ARRAYS:
                value = self.register(moved(where, at, 1), inner, full, fields_of(inner))
                why = f"{full} has no value: give {full}=VALUE" if name else f"{item.spelling} has no value"
                found |= spread([(at, Unknown(why) if value is None else value)])
        return found

    def store(self, cursor, where, value, kind, fields=()):
        """fields: of a struct; each takes what is not known of the whole."""
        if isinstance(where, Unknown) or where.array.space:
            self.use(value)
            self.record(cursor, "store", where, kind.get_size(), kind.get_align())
        elif isinstance(value, Fields):
            self.registers |= {moved(where, offset, 1): item for offset, item in value.items()}
        elif fields:
            for item in fields:
                inner = item.type.get_canonical()
                self.store(cursor, moved(where, item.get_field_offsetof() // 8, 1), value, inner, fields_of(inner))
        else:
            if where.array.sizes:
                self.note_entry(where.array.name, cursor, where)
            self.registers[where] = value
