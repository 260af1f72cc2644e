"""Fields of a struct that one instruction accesses: of a copy nvcc loads what the text uses, and it makes one access of
neighbours in a type that is aligned so. (13.0, sm_90: all sets of fields of vectors of 2 to 4 numbers.)"""

import itertools

from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

from .values import ARRAYS, Fields, Loaded, Pointer, Unknown

MOST_FIELDS, WORD, WIDEST = 64, 4, 16


def leaves_of(kind, at: int = 0, name: str = "") -> dict:
    """Bytes and name of each innermost field by its offset; {}: not all are known, or they are many."""
    kind, found = kind.get_canonical(), {}
    if kind.kind == TypeKind.RECORD:
        has_base = any(item.kind == Kind.CXX_BASE_SPECIFIER for item in kind.get_declaration().get_children())
        parts = [(item.get_field_offsetof() // 8, f".{item.spelling}", item.type) for item in kind.get_fields()]
        parts = [] if has_base else parts
    elif kind.kind in ARRAYS:
        element, count = kind.get_array_element_type(), kind.element_count
        parts = [(i * element.get_size(), f"[{i}]", element) for i in range(count if count <= MOST_FIELDS else 0)]
    else:
        return {at: (kind.get_size(), name[1:])}
    for offset, label, inner in parts:
        new = leaves_of(inner, at + offset, name + label)
        if not new or len(found) > MOST_FIELDS:
            return {}
        found |= {key: max(was, found.get(key, was)) for key, was in new.items()}  # of a union
    return found


def window_of(member) -> tuple:
    """Of a field: bytes that an access of it and its neighbours can have, and its declaration."""
    widest, place = 0, member
    while place.kind == Kind.MEMBER_REF_EXPR and (inner := next(place.get_children(), None)):
        of, place = inner.type.get_canonical(), inner
        widest = max(widest, (of.get_pointee() if of.kind == TypeKind.POINTER else of).get_align())
    return (min(widest, WIDEST), member.referenced.hash) if widest else (0, None)


def fused(parts: dict, window: int, op: str) -> dict:
    """By offset: bytes, those of a field, and what they are called. A copy is loaded with gaps where 3 of 4 words are
    used, or 2 numbers of less than a word; other loads have gaps behind a first field, stores none."""
    widths = [item for item in (2, WORD, 8, WIDEST) if item == window or (item < window and (item, op) != (2, "copy"))]
    for width in widths:
        for begin in sorted({at // width * width for at in parts}):
            inside = {at: part for at, part in sorted(parts.items()) if begin <= at < begin + width and part[0] < width}
            units = {part[1] for part in inside.values()}
            has_gaps = op == "copy" or (op == "load" and begin in inside)
            least = width if not has_gaps else 3 * width // 4 if min(units, default=0) >= WORD else 0
            if len(inside) > 1 and len(units) == 1 and sum(part[0] for part in inside.values()) >= least:
                parts = {at: part for at, part in parts.items() if at not in inside}
                parts[begin] = (width, *units, [name for part in inside.values() for name in part[2]])
    return parts


def narrowed(accesses: dict) -> dict:
    """With the fields that the text uses in place of copies of structs; instructions of one width are one access."""
    found = {}
    for place, access in accesses.items():
        wanted = {at: (size, size, [name]) for at, (size, name) in access.fields.items()
                  if not access.used.isdisjoint(range(at, at + size))}  # fmt: skip
        wanted, runs = {} if len(wanted) == len(access.fields) else fused(wanted, access.window, "copy"), []
        for at, (width, _, names) in sorted(wanted.items()):
            is_next = runs and (sum(runs[-1][:2]), runs[-1][2]) == (at, width)
            first, size, _, before = runs.pop() if is_next else (at, 0, 0, [])
            runs.append((first, size + width, width, before + names))
        for at, size, width, names in runs:
            text = f"{access.text} (field{'s' * (len(names) > 1)} {', '.join(names)})"
            found[*place, at, size] = access.shifted(at, text=text, size=size, width=min(width, access.window))
        if not runs or runs[0][1] == access.size:
            found = {key: was for key, was in found.items() if key[: len(place)] != place} | {place: access}
    return found


def hinders(between: list, first, second) -> bool:
    """Whether these accesses of other places, or None of a branch or barrier, keep nvcc from joining the two."""
    own = second.array
    others = [item for item in between if item and item[1].space == own.space and (item[1] is own or not own.alone)]
    stores, loads = ({field for op, _, field in others if (op == "load") == is_load} for is_load in (False, True))
    up = not stores & {None, second.field} and not (loads and second.op == "store")  # which may need what they load
    down = first.op == "store" and not (loads | stores) & {None, first.field}
    return None in between or not (up or down)


def joined(accesses: dict) -> dict:
    """With one access in place of those of neighbouring fields that nvcc makes one."""
    clusters, latest, found = [], {}, {}
    for place, access in accesses.items():
        if access.field and not access.fields and access.op in ("load", "store"):
            window, (log, now) = access.window, access.done
            lanes = sorted((key, lane, at // window) for key, step in access.steps.items() for lane, at in step.items())
            cluster, before = latest.get(key := (place[0], access.array, access.op, window, *lanes), (None, access))
            if cluster is None or before.done[0] is not log or hinders(log[before.done[1] + 1 : now], before, access):
                clusters.append(cluster := {})
            at = min(access.steps[min(access.steps)].values()) % window
            cluster.setdefault(at, (access.size, access.size, []))[2].append((place, at))
            latest[key] = cluster, access
    for cluster in clusters:
        (place, _), *_ = next(iter(cluster.values()))[2]
        for begin, (size, _, parts) in fused(cluster, accesses[place].window, accesses[place].op).items():
            (place, at), first = parts[0], accesses[parts[0][0]]
            text = ", ".join(dict.fromkeys(accesses[part].text for part, _ in parts))
            if size > first.size:
                found |= {part: () for part, _ in parts}
                found[place] = ((*place, size), first.shifted(begin - at, text=text, size=size, width=size))
    return dict(item for item in (found.get(place, (place, access)) for place, access in accesses.items()) if item)


class Copies:
    """Of structs in variables: who uses which field."""

    def __init__(self):
        self.recorded, self.unread = None, {}  # the latest access; by cursor: fields that no lane has read yet

    def loaded(self, value, fields: dict):
        """Of a struct that was recorded: for each field the unknown that says who uses it."""
        access, self.recorded = self.recorded, None
        if access is None or len(fields) < 2 or type(value) is not Unknown:
            return value
        access.fields = fields
        return Fields({at: Loaded(**vars(value), access=access, at=at, bytes=size) for at, (size, _) in fields.items()})

    def use(self, *values, size=0, whole=False) -> None:
        for item in values:
            for leaf in item.values() if isinstance(item, Fields) else (item,):
                if isinstance(leaf, Loaded):
                    own = range(leaf.at, leaf.at + (size or leaf.bytes))
                    leaf.access.used.update(range(leaf.access.size) if whole else own)

    def in_registers(self, place, leaves: dict) -> list:
        """Where the fields of a local variable lie, and the bytes of each; []: it is none."""
        at = 0
        while place.kind == Kind.MEMBER_REF_EXPR and (inner := next(place.get_children(), None)):
            at, place = at + place.referenced.get_field_offsetof() // 8, inner
        of = place.referenced if place.kind == Kind.DECL_REF_EXPR else None
        is_local = of is not None and of.type.get_canonical().kind == TypeKind.RECORD
        return [(Pointer(self.array_of(of), at + by), size) for by, (size, _) in leaves.items() if is_local]

    def use_unread(self) -> None:
        """What the text may do with a copy where the lane did not: nvcc loads that with the rest."""
        for place, size in itertools.chain(*self.unread.values()):
            self.use(self.registers.get(place), size=size)
