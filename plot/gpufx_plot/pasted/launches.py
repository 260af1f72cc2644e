"""The launches of a program: the kernel, the arguments of its template, and grid, block and arguments of each.

They are in clang's tree of the program as CUDA for the host, which sees through macros, templates and overloads. What
nobody declares, such as what headers of libraries have, is declared as something that takes and gives anything. A
launch that the text has and the tree lacks is told: what it launches how is not known."""

import itertools
import math
import re
from pathlib import Path
from typing import NamedTuple

import clang.cindex as clang

from . import prelude
from .cursors import CASTS, INTEGRAL, THROUGH, TYPE, Kind, constant, extent_of, members_set, offset_of, skipped
from .defines import DEFINE, HEADERS, LAUNCHING, reaching, words_of
from .heads import bare
from .host import BY_NAME, CONFIGURE, HOLDERS, Host
from .values import INTEGERS, TypeKind, fields_of

MOST_THREADS, MOST_ROUNDS, MOST_OF_USE, MOST_CALLS = 1024, 6, 99, 32
FLAGS = ["-xcuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-std=gnu++20", "-Wno-everything", "-nostdinc",
         "-ferror-limit=0", "-fno-spell-checking", "--target=x86_64-unknown-linux-gnu",
         *(f"-I{folder}" for folder in HEADERS)]  # fmt: skip
NAME = "gpufx_program.cu"
EXPLICIT = re.compile(r"(?<![.>:\w])template\s+(?!<)[^;{}()<>=]*?\b([\w:]+\s*<[^;{}()]*>)\s*\([^;{}]*?\)\s*;")
"""An instance that is written out, which a use beside it shows in the tree."""
BOUNDS, LIMIT = re.compile(r"\b__launch_bounds__\s*\(((?:[^(),]|\([^()]*\))*)"), "gpufx_bounds"
UNKNOWN = re.compile(r"(?:use of undeclared identifier|unknown (type) name|no (?:member|(type|template)) named) '(\w+)'"
                     r"(?: in namespace '([\w:]+)')?")  # fmt: skip
CHANGING = re.compile("swap|tie|ref|exchange|from_chars|getline")
"""Of functions of std, what may change its arguments; others, but CUDA's, may, too."""
SPELLED = {"_Float16": "half", "__bf16": "__nv_bfloat16"}
FUNCTIONS = (Kind.FUNCTION_DECL, Kind.FUNCTION_TEMPLATE, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR)
CLASSES = (Kind.STRUCT_DECL, Kind.CLASS_DECL, Kind.CLASS_TEMPLATE)
USES = (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR, Kind.CALL_EXPR)
NAMED = (*USES[:2], Kind.VAR_DECL, Kind.PARM_DECL, Kind.VARIABLE_REF)
PARAMETERS = (Kind.TEMPLATE_TYPE_PARAMETER, Kind.TEMPLATE_NON_TYPE_PARAMETER, Kind.TEMPLATE_TEMPLATE_PARAMETER)


ADDRESSES = (TypeKind.POINTER, TypeKind.RECORD, TypeKind.DEPENDENT)  # and of what nobody declares


class Launch(NamedTuple):
    arguments: tuple[str, ...] = ()  # of the template; (): none, or not known
    block: tuple[int, ...] = ()  # (): not known
    grid: tuple[int | None, ...] = ()
    values: tuple[tuple, ...] = ()  # number and member of an argument, and the number that it is; None: not known
    moves: tuple[tuple, ...] = ()  # of one that is a pointer, by how many bytes the host has moved it
    lines: tuple[int, ...] = ()  # of the launch, and of the calls that lead to it, where they differ
    taken: tuple[tuple, ...] = ()  # functions that no call is seen of, and their pointers that it gets


def stub(name: str, around: str, is_type: bool, text: str) -> str:
    """Declares what the text uses and nobody declares. What follows the name says what it is."""
    uses = {text[hit.end() : hit.end() + MOST_OF_USE] for hit in re.finditer(rf"{name}\b", text)}

    def has(form: str) -> bool:
        return any(re.match(form, use) for use in uses)

    is_template, of = has(r"\s*<(?!<)[^;(){}]*>"), r"\s*(?:<[^;(){}]*>)?"
    if is_type or has(rf"{of}[\s*&]+\w+\s*[;=({{,)\[]"):
        makes = f"{name}(); template <class... T> {name}(T &&...); using gpufx_any::operator=;"
        declared = f"{'template <class...> ' * is_template}struct {name} : gpufx_any {{ {makes} }};"
    elif has(r"\s*::"):
        declared = f"namespace {name} {{}}"
    elif has(rf"{of}\s*\("):
        lent = "" if re.match("cu|std", around or name) and not CHANGING.match(name) else " &&"
        head = "class gpufx_a, " * is_template
        declared = f"template <{head}class... gpufx_t> gpufx_any {name}(gpufx_t{lent}...);"
    else:
        declared = f"extern gpufx_any {name};"
    return f"namespace {around} {{ {declared} }}" if around else declared


def is_kernel(function) -> bool:
    return any(item.kind == Kind.CUDAGLOBAL_ATTR for item in function.get_children())


def leaves(kind, path: tuple = ()):
    """Members of a struct that are none, with their kinds; of anything else itself."""
    if fields := fields_of(kind.get_canonical()):
        for item in fields:
            yield from leaves(item.type, (*path, item.spelling))
    else:
        yield path, kind.get_canonical().kind


def of_threads(function) -> bool:
    kinds = {item.kind for item in function.get_children()}
    return Kind.CUDAGLOBAL_ATTR in kinds or (Kind.CUDADEVICE_ATTR in kinds and Kind.CUDAHOST_ATTR not in kinds)


def template_of(function):
    found = clang.conf.lib.clang_getSpecializedCursorTemplate(function)
    return found if found and not found.kind.is_invalid() else None


def arguments_of(function) -> tuple[str, ...]:
    """Of the template, as C++; () where one is a list, or a template."""
    found, template = [], template_of(function)
    parameters = [item for item in template.get_children() if item.kind in PARAMETERS] if template else []
    for i, parameter in enumerate(parameters):
        kind = function.get_template_argument_kind(i)
        if kind == TYPE:
            spelled = function.get_template_argument_type(i).spelling
            found.append(re.sub(r"\b(?:_Float16|__bf16)\b", lambda hit: SPELLED[hit[0]], spelled))
        elif kind == INTEGRAL:
            value, of = function.get_template_argument_value(i), parameter.type.get_canonical()
            items = of.get_declaration().get_children() if of.kind.name == "ENUM" else ()
            names = [f"{of.spelling}::{item.spelling}" for item in items if item.enum_value == value]
            found.append(names[0] if names else "true" if of.kind.name == "BOOL" and value else str(value))
        else:
            return ()
    return tuple(found[: found.index("gpufx_any")] if "gpufx_any" in found else found)


class Program(Host):
    """The text, and the preprocessor's `defines`, by name. given: values of its variables."""

    def __init__(self, text: str, defines: tuple, given: tuple, folder: Path):
        self.given = dict(given)
        self.path, self.code = str(folder / NAME), re.sub(r"[^\x00-\x7f]", "?", text)
        self.code = EXPLICIT.sub(lambda hit: f"{hit[0]} static_assert(&{hit[1]} != nullptr);", self.code)
        bodies = DEFINE.findall(self.code.replace("\\\n", "  "))
        self.in_macros = {word for _, body in bodies for word in words_of(body)}
        direct = {name for name, body in bodies if LAUNCHING.search(body)}
        self.macros = reaching([(name, words_of(body)) for name, body in bodies], direct)
        self.defined = [f"#define {name} {value}" for name, value in defines]
        names, self.uses_of = {}, {}
        for _ in range(MOST_ROUNDS):
            self.read(names)
            is_known = not self.unread and all(line and of.block and None not in dict(of.moves).values()
                                               for (line, _), of in self.found)  # fmt: skip
            if is_known or not (new := self.undeclared(names)):
                break
            names |= new

    def read(self, names: dict[str, str]) -> None:
        super().__init__(self.given)
        before = "\n".join([prelude.text(), prelude.HOST, *names.values(), *self.defined, ""])
        limits = [f"\nconstexpr long long {LIMIT}{i} = ({text});" for i, text in enumerate(BOUNDS.findall(self.code))]
        whole, self.start, self.first = before + self.code + "".join(limits), len(before), before.count("\n")
        self.unit = clang.Index.create().parse(self.path, FLAGS, [(self.path, whole)], options=0x201)  # with macros
        self.text = re.sub(r"[^\n]", " ", before) + bare(whole[len(before) :])
        for item in skipped(self.unit, self.path):
            self.text = self.text[: item.start] + " " * len(item) + self.text[item.stop :]
        self.kernels, self.special, self.limits, self.read_at, self.visited = {}, {}, {}, set(), set()
        self.found, self.unread, self.launching, self.patterns, self.expanded, self.others = [], [], [], [], [], []
        self.within = {}
        self.walk()
        for call, children in self.launching:
            found = self.launches_by(call, children)
            self.found += found
            self.unread += [] if found else [(self.line(call), ())]
        self.find_unread()

    def undeclared(self, names: dict[str, str]) -> dict[str, str]:
        hits = [UNKNOWN.match(error.spelling) for error in self.unit.diagnostics
                if 0 < self.line(error) <= self.code.count("\n") + 1]  # fmt: skip
        found = {(hit[4], hit[3]): bool(hit[1] or hit[2]) for hit in hits if hit}
        return {key: stub(key[1], key[0] or "", of, self.text) for key, of in found.items() if key not in names}

    def is_inside(self, item) -> bool:
        return item.location.line > self.first and str(item.location.file) == self.path

    def line(self, item) -> int:
        """Of the text; of a header below 0."""
        return item.location.line - self.first if self.is_inside(item) else -1

    def hits(self, cursor) -> list[int]:
        """Where the text launches in it."""
        of = extent_of(cursor)
        return [hit.start() for hit in LAUNCHING.finditer(self.text, of.start, of.stop)]

    def walk(self) -> None:
        waiting, later = [self.unit.cursor], []
        while waiting:
            for cursor in filter(self.is_inside, waiting.pop().get_children()):
                if cursor.kind == Kind.MACRO_INSTANTIATION and cursor.spelling in self.macros:
                    self.expanded.append(extent_of(cursor))
                elif cursor.kind in FUNCTIONS:
                    self.meet(cursor, later)
                elif cursor.kind in (Kind.NAMESPACE, Kind.LINKAGE_SPEC, Kind.UNEXPOSED_DECL, *CLASSES):
                    waiting.append(cursor)
                elif cursor.spelling.startswith(LIMIT):
                    self.limits[int(cursor.spelling.removeprefix(LIMIT))] = constant(cursor)
                elif cursor.kind in (Kind.STATIC_ASSERT, Kind.VAR_DECL):
                    later.append(cursor)
        self.visit(later)
        self.visit([item for item in self.patterns if not self.read_at.issuperset(self.hits(item))])  # without instance

    def meet(self, cursor, later: list) -> None:
        """A function at file scope, or in a class."""
        if is_kernel(cursor):
            self.kernels.setdefault(cursor.spelling, []).append(cursor)
        if not cursor.is_definition():
            return
        self.bodies.append(extent_of(cursor))
        if cursor.kind == Kind.FUNCTION_DECL and template_of(cursor) is not None:
            self.special[cursor.canonical.hash] = cursor
        is_pattern = cursor.kind == Kind.FUNCTION_TEMPLATE or cursor.semantic_parent.kind == Kind.CLASS_TEMPLATE
        is_others = of_threads(cursor) and not self.hits(cursor)
        (self.others if is_others else self.patterns if is_pattern else later).append(cursor)

    def visit(self, functions: list, every: bool = False) -> None:
        """Notes what is in them, and in instances of templates that they call; every: in those of threads, too."""
        for function in functions:
            waiting = [(function, None)] if function.canonical.hash not in self.visited else []
            self.visited.add(function.canonical.hash)
            while waiting:
                cursor, _ = chain = waiting.pop()
                children = list(cursor.get_children())
                if cursor.kind == Kind.CALL_EXPR:
                    self.within[cursor.hash] = function.canonical.hash
                functions += self.note(cursor, children, chain, every)
                waiting += [(item, chain) for item in reversed(children)]

    def note(self, cursor, children: list, chain: tuple, every: bool) -> list:
        """Returns an instance to visit."""
        kind, target = cursor.kind, cursor.referenced if cursor.kind in USES else None
        if kind in NAMED:
            self.seen.add(offset_of(cursor.location))
        if kind == Kind.LAMBDA_EXPR:
            self.lambdas.append(extent_of(cursor))
        config = next((item for item in children[1:2] if item.spelling == CONFIGURE), None)
        if kind == Kind.CALL_EXPR and (config is not None or cursor.spelling in BY_NAME):
            self.launching.append((cursor, children))
            self.read_at.add(offset_of((config or cursor).extent.start))
        self.note_sets(cursor, children)
        if target is not None and target.kind in HOLDERS:
            self.uses.setdefault(target.hash, []).append(chain)
        if target is None or target.kind not in FUNCTIONS:
            return []
        whole, template = target.get_definition() or target, template_of(target)
        if kind == Kind.CALL_EXPR:
            self.calls.setdefault(whole.canonical.hash, []).append(cursor)
        if template is not None and target.canonical.hash not in self.special and (arguments := arguments_of(target)):
            self.uses_of.setdefault(target.spelling, {})[arguments] = None
        is_instance = template is not None or template_of(whole.semantic_parent) is not None
        return [whole] if is_instance and (every or not of_threads(whole)) else []

    def note_sets(self, cursor, children: list) -> None:
        pairs = itertools.pairwise(children) if cursor.kind == Kind.CONSTRUCTOR else ()
        pairs = [(member.referenced, first) for member, first in pairs if member.kind == Kind.MEMBER_REF]
        if cursor.kind == Kind.INIT_LIST_EXPR:
            pairs = [(way[-1], value) for way, value in members_set(cursor) if way]
        for field, first in pairs:
            self.sets.setdefault(field.hash, []).append(first)

    def launches_by(self, call, children: list) -> list[tuple[tuple[int, str], Launch]]:
        """Once where all calls of the functions around it give it the same, else once for each call."""
        self.only, self.initials = {}, {}
        found, ways = self.launch(call, children), []
        if any(self.is_open(launch) for _, launch in found):
            ways = [*itertools.islice(self.ways_to(call, {}), MOST_CALLS + 1)]
        for self.only in ways if 1 < len(ways) <= MOST_CALLS else ():
            found, self.initials = found * (self.only is not ways[0]), {}
            found += self.launch(call, children)
        self.only, self.initials = {}, {}
        return found

    @staticmethod
    def is_open(launch: Launch) -> bool:
        return not launch.block or None in (*launch.grid, *(of for _, of in (*launch.values, *launch.moves)))

    def ways_to(self, cursor, only: dict):
        """Of each function around it, and around a call of that, the call by which it is reached."""
        of = self.within[cursor.hash]
        calls = () if of in only else self.calls.get(of, ())
        for call in calls:
            yield from self.ways_to(call, only | {of: call})
        if not calls:
            yield only

    def launch(self, call, children: list) -> list[tuple[tuple[int, str], Launch]]:
        """The line and name of each kernel that it may launch, and how."""
        arguments, members = list(call.get_arguments()), ((), ())
        if call.spelling not in BY_NAME:
            callee, (grid, block) = children[0], list(children[1].get_arguments())[:2]
        elif BY_NAME[call.spelling]:
            callee, (grid, block), arguments = arguments[0], arguments[1:3], self.listed(arguments[3])
        else:
            (grid, callee, *arguments), block, members = arguments, arguments[0], (("gridDim",), ("blockDim",))
            arguments = self.listed(arguments[0]) if call.spelling[-1] == "C" else arguments
        kernels = dict.fromkeys(self.kernels_of(callee))
        block, grid = (tuple(self.number(item, (*member, axis)) for axis in "xyz")
                       for item, member in ((block, members[1]), (grid, members[0])))  # fmt: skip
        block = block if None not in block and 0 < math.prod(block) <= MOST_THREADS else ()
        parts = [((i, *path), kind) for i, item in enumerate(arguments) for path, kind in leaves(item.type)]
        values = tuple((at, self.number(arguments[at[0]], at[1:])) for at, kind in parts if kind in INTEGERS)
        self.taken = {}
        moves = tuple((at, self.address(arguments[at[0]], at[1:])) for at, kind in parts if kind in ADDRESSES)
        lines = tuple(map(self.line, (call, *self.only.values())))
        taken = tuple((function, *names) for function, names in self.taken.items())
        return [(key, Launch(of, block, grid, values, moves, lines, taken)) for key, of in kernels]

    def listed(self, array) -> list:
        """What the addresses in it are of."""
        uses = [part.referenced for part in array.walk_preorder() if part.kind == Kind.DECL_REF_EXPR]
        lists = [item for variable in uses[:1] for item in self.begins(variable) if item.kind == Kind.INIT_LIST_EXPR]
        items = [[*item.walk_preorder()] for of in lists[:1] for item in of.get_children()]
        return [next(part for part in of if part.kind not in (*CASTS, *THROUGH, Kind.UNARY_OPERATOR)) for of in items]

    def kernels_of(self, expression, seen: tuple = ()):
        """Line (0: it is not resolved) and name of what it can be, and arguments of the template."""
        for part in expression.walk_preorder():
            target = part.referenced if part.kind == Kind.DECL_REF_EXPR else None
            if part.kind == Kind.OVERLOADED_DECL_REF and part.spelling in self.kernels:
                yield (0, part.spelling), ()
            elif target is not None and target.kind == Kind.FUNCTION_DECL and is_kernel(target):
                own = target if target.canonical.hash in self.special else template_of(target) or target
                yield (self.line(own.get_definition() or own), target.spelling), arguments_of(target)
            elif target is not None and target.kind in (Kind.VAR_DECL, Kind.PARM_DECL) and target.hash not in seen:
                for value in self.begins(target) + [item.value for item in self.changes(target) if item.value]:
                    yield from self.kernels_of(value, (*seen, target.hash))

    def find_unread(self) -> None:
        """Launches that the tree lacks, and the kernels that they name."""
        places = [at for at in self.hits(self.unit.cursor) if at not in self.read_at]
        places += [item.start for item in self.expanded if not any(at in item for at in self.read_at)]
        for at in places:
            start = max(self.text.rfind(sign, 0, at) for sign in ";{}") + 1
            names = self.kernels.keys() & words_of(re.compile("[^;]*").match(self.text, start)[0])
            self.unread.append((self.text.count("\n", self.start, at) + 1, tuple(names)))

    def launches(self, line: int, name: str) -> list[Launch]:
        """Each once, of the kernel of this name there."""
        found = [launch for key, launch in self.found if key in ((line, name), (0, name))]
        return list(dict.fromkeys(found + [Launch() for _, names in self.unread if name in names]))

    def strangers(self, name: str) -> list[int]:
        """Lines that launch what is not known, if it may be this kernel: the text names it elsewhere, too."""
        own = {kernel.location.offset for kernel in self.kernels.get(name, ())}
        uses = re.finditer(rf"\b{name}\b(?!\s*(?:<[^;{{}}()]*>)?\s*<<<)", self.text)
        unread = [line for line, names in self.unread if not names] if {hit.start() for hit in uses} - own else []
        return [line for line in unread if not self.is_unused_template(line)]

    def is_unused_template(self, line: int) -> bool:
        """True of a line in the template of a function that the text names nowhere else: it launches nothing."""
        around = {item.spelling for item in self.patterns if item.kind == Kind.FUNCTION_TEMPLATE
                  and item.extent.start.line <= line + self.first <= item.extent.end.line}  # fmt: skip
        uses = {hit.start() for name in around for hit in re.finditer(rf"\b{name}\b", self.text)}
        return bool(around) and not (around & self.in_macros or uses - {item.location.offset for item in self.patterns})

    def instances(self, name: str) -> list[tuple[str, ...]]:
        """Arguments of a template, each list once."""
        if name not in self.uses_of:
            self.visit(self.others, every=True)
        return list(self.uses_of.get(name, ()))

    def bounds(self, line: int, name: str) -> tuple[int, ...]:
        """The block that __launch_bounds__ has as its largest."""
        for at in (kernel.location.offset for kernel in self.kernels.get(name, ()) if self.line(kernel) == line):
            hits = list(BOUNDS.finditer(self.text, 0, at))
            most = hits and not re.search("[;{}]", self.text[hits[-1].end() : at]) and self.limits.get(len(hits) - 1)
            return (most, 1, 1) if most and most <= MOST_THREADS else ()
        return ()
