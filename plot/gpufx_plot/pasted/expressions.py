"""Expressions as closures: to a value (an int, Pointer, Fields or Unknown), or to the address of a place."""

import itertools
from dataclasses import replace

from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

from . import cursors, values
from .cursors import CASTS, is_pointer, is_step, kind_of, same
from .fields import leaves_of
from .instructions import ACCESS, ADDRESS, Instructions
from .memory import LANES, LOOP, fields_of, holds_address
from .values import ARITHMETIC, ARRAYS, INTEGERS, PREFIXES, Array, Fields, Pointer, Unknown, moved, spread, wrap

COUNTS = (("atomicAdd", 1), ("atomicSub", -1), ("atomicInc", -1), ("atomicInc", 0xFFFFFFFF))  # become ATOMS.POPC.INC
REDUCED = ("atomicAnd", "atomicOr", "atomicXor", "atomicMin", "atomicMax")
LOADERS, STORERS = ("__ldg", "__ldcs", "__ldcg", "__ldca"), ("__stcs", "__stcg")
COPIES = {"memcpy": ("store", "load"), "memmove": ("store", "load"), "memset": ("store",)}
"""What is done with the first arguments; the last one counts bytes."""
METHODS = {Kind.BINARY_OPERATOR: "binary", Kind.COMPOUND_ASSIGNMENT_OPERATOR: "binary", Kind.UNARY_OPERATOR: "unary",
           Kind.CONDITIONAL_OPERATOR: "choice", Kind.CALL_EXPR: "call", Kind.INIT_LIST_EXPR: "listed"}  # fmt: skip


NUMBERS = (int, Pointer)
PLACES = (Kind.VAR_DECL, Kind.PARM_DECL, Kind.FIELD_DECL)


def is_reference(function) -> bool:
    return function is not None and function.result_type.get_canonical().kind in values.REFERENCES


def objects_of(call) -> list:
    """The object whose method is called by its name; `this` has none."""
    callee = next(call.get_children(), None) if call.kind == Kind.CALL_EXPR else None
    is_method = callee is not None and callee.kind == Kind.MEMBER_REF_EXPR and callee.referenced == call.referenced
    return list(callee.get_children()) if is_method else []


def is_virtual(call) -> bool:
    """The object decides what is called."""
    return call.referenced is not None and call.referenced.is_virtual_method()


def is_copy(function, argument) -> bool:
    """A constructor that makes another of the same, or a number of another type."""
    is_constructor = function is not None and function.kind == Kind.CONSTRUCTOR
    return is_constructor and (function.is_default_method() or not holds_address(argument.type))


def squeezed(text: str) -> str:
    return "".join(text.split())


def is_reference_cast(cursor, child) -> bool:
    """`reinterpret_cast<float4 &>(x)`: a place of another type."""
    if cursor.kind == Kind.CXX_REINTERPRET_CAST_EXPR:
        return not {kind_of(cursor), kind_of(child)} & {TypeKind.POINTER, *ARRAYS}
    words = [token.spelling for token in cursor.get_tokens()] if cursor.kind == Kind.CSTYLE_CAST_EXPR else []
    return ")" in words and "&" in words[: words.index(")")]


class Expressions(Instructions):
    def sizes_of(self, place) -> str:
        """What to give for an array whose declaration names what has no value."""
        used = [item.referenced for item in place.walk_preorder() if item.kind == Kind.DECL_REF_EXPR]
        parts = [part for variable in used if variable is not None for part in variable.walk_preorder()]
        names = [part.spelling for part in parts if part.kind == Kind.DECL_REF_EXPR
                 and cursors.constant(part) is None and not self.parsed.line(part.referenced.location)]  # fmt: skip
        return f": give {', '.join(f'{name}=VALUE' for name in dict.fromkeys(names))}" if names else ""

    def place(self, cursor):  # noqa: PLR0911
        kind, children = cursor.kind, list(cursor.get_children())
        if inner := same(cursor):
            return self.place(inner)
        if kind == Kind.DECL_REF_EXPR and cursor.referenced is not None:
            variable, offset, _ = self.bindings.get(cursor.referenced.hash, (cursor.referenced, 0, None))
            start = Pointer(self.array_of(variable), 0)
            part, kind = moved(start, offset, 1), variable.type.get_canonical().kind
            if kind in ARRAYS and variable.kind == Kind.PARM_DECL:  # a pointer, which clang shows as it is written
                return lambda: self.register(start, variable.type.get_canonical(), variable.spelling)
            if kind in values.REFERENCES or (kind in ARRAYS and variable is not cursor.referenced):
                return lambda: moved(self.registers.get(start, start), offset, 1)
            return lambda: part
        if kind == Kind.ARRAY_SUBSCRIPT_EXPR:
            pointer, index, size = self.value(children[0]), self.value(children[1]), cursor.type.get_size()
            why = f"the size of {cursor.type.spelling} is not known{self.sizes_of(children[0])}"
            no_size = self.unknown(cursor, why)
            key, asked = self.element(cursor, children[0]), self.local_because(cursor)

            def run():
                self.reached.add(key)
                return self.indexed(cursor, moved(pointer(), index(), size), asked) if size > 0 else no_size

            return run
        if kind == Kind.CALL_EXPR and is_reference(cursor.referenced) and (inlined := self.inlined_call(cursor)):
            return inlined
        if kind == Kind.MEMBER_REF_EXPR and cursor.referenced is not None:  # without children: of this method's object
            offset, arrow = cursor.referenced.get_field_offsetof() // 8, children and is_pointer(children[0])
            inner = self.address(children[0]) if children else lambda: self.this
            key = self.element(cursor, children[0]) if arrow else None
            return lambda: (self.reached.add(key), self.member(cursor, moved(inner(), offset, 1)))[1]
        if cursors.unary(cursor) == "*":
            pointer, key = self.value(children[0]), self.element(cursor, children[0])
            asked = self.local_because(cursor)
            return lambda: (self.reached.add(key), self.indexed(cursor, pointer(), asked))[1]
        if kind == Kind.CONDITIONAL_OPERATOR:
            return self.choice(cursor, children, self.place)
        sign = cursors.unary(cursor) if kind == Kind.UNARY_OPERATOR else cursors.binary(cursor)
        if sign in ("=", ",", "++", "--") or kind == Kind.COMPOUND_ASSIGNMENT_OPERATOR:  # (i += 2) %= 3
            before, place = self.value(children[0] if sign == "," else cursor), self.place(children[sign == ","])
            return lambda: (before(), place())[1]
        inner, temporary = self.value(cursor), Pointer(Array("", "", 0, "", 1, []), 0)

        def run():
            self.store(cursor, temporary, inner(), None)
            return temporary

        return run

    def read(self, cursor, place=None):
        """What lies at a place, by default the cursor's."""
        place, kind = place or self.place(cursor), cursor.type.get_canonical()
        if kind.kind in ARRAYS:
            return place  # it decays
        size, alignment, name, text = kind.get_size(), kind.get_align(), self.name_of(cursor), self.parsed.text(cursor)
        told = self.values.get(squeezed(text)) or self.values.get(name)
        from_memory = told or self.not_known(cursor, "is read from memory")
        hint = f"{name} has no value: give {name}=VALUE" if name else f"the value of {text} is not followed"
        is_variable, fields = cursor.kind == Kind.DECL_REF_EXPR, fields_of(kind)
        number = cursors.constant(cursor) if is_variable and kind.is_const_qualified() else None
        otherwise = self.unknown(cursor, hint) if number is None else number
        is_own = cursor.kind == Kind.MEMBER_REF_EXPR and not list(cursor.get_children())  # in a method
        is_one = kind.kind == TypeKind.POINTER and self.is_uniform(cursor)
        is_number = is_variable and name and kind.kind in INTEGERS
        is_of_value = is_variable and not self.parsed.line(cursor.referenced.location)
        leaves = leaves_of(kind) if fields else {}
        self.unread[id(cursor)] = self.in_registers(cursor, leaves or {0: (size, "")})
        is_indexed = cursor.kind == Kind.ARRAY_SUBSCRIPT_EXPR and any(
            item.kind == Kind.DECL_REF_EXPR and getattr(item.referenced, "kind", None) == Kind.PARM_DECL
            for item in list(cursor.get_children())[1].walk_preorder())  # fmt: skip

        is_direct = is_number or (is_variable and name and kind.kind == TypeKind.POINTER)
        is_direct = is_direct and name not in self.given and cursor.referenced.type.kind not in values.REFERENCES
        start = Pointer(self.array_of(cursor.referenced), 0) if is_direct else None

        def run():  # noqa: PLR0911
            if type(found := self.registers.get(start)) in NUMBERS:
                return found
            where = place()
            if number is not None and isinstance(where, Pointer) and where.array.space == "global":
                return number  # of a constant of the program, which is in no memory
            if isinstance(where, Pointer) and not where.array.space:
                self.unread.pop(id(cursor), None)
                self.use(None if fields else self.registers.get(where), size=size, whole=is_indexed)
                if where.array.sizes:
                    self.note_entry(id(cursor), cursor, where)
                full = f"{where.array.name}.{cursor.spelling}" if is_own else name
                found = self.register(where, kind, full, fields)
                if where == start and type(found) in NUMBERS:
                    self.registers[start] = found  # of a parameter
                if found is None and is_of_value:
                    found = self.registers.get(self.latest.get(name))
                if told and (found is None or isinstance(found, Unknown)):
                    return told()
                if is_own and found is None:
                    return self.unknown(cursor, f"{full} has no value: give {full}=VALUE")
                if is_number and isinstance(found, Unknown) and ": give " not in found.why:
                    return replace(found, why=f"{found.why}: give {name}=VALUE")
                return otherwise if found is None else found
            self.recorded = None
            self.record(cursor, "load", where, size, alignment)
            if isinstance(where, Pointer) and where in self.registers:
                self.note_entry(id(cursor), cursor, where)
                return self.registers[where]
            if name in self.given and name in self.known:
                return self.known[name]
            self.invented = self.invented or told is not None
            if kind.kind == TypeKind.POINTER and (is_one or isinstance(where, Pointer)):
                return self.loaded_from(where, text, kind)
            return self.loaded(from_memory(), leaves)

        return run

    def value(self, cursor):  # noqa: PLR0911
        kind, children = cursor.kind, list(cursor.get_children())
        if kind in CASTS and is_reference_cast(cursor, children[-1]):
            return self.read(cursor)
        if inner := same(cursor):
            return self.converted(self.value(inner), cursor.type, inner.type)
        target = cursor.referenced if kind in (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR) else None
        has_place = target is not None and (target.kind in PLACES or target.hash in self.bindings)
        if has_place or kind == Kind.ARRAY_SUBSCRIPT_EXPR:
            return self.read(cursor)
        if kind == Kind.CXX_THIS_EXPR:
            return lambda: self.this
        if target is not None and target.kind == Kind.ENUM_CONSTANT_DECL:
            return lambda: target.enum_value
        if kind in METHODS:
            return getattr(self, METHODS[kind])(cursor, children)
        is_number = kind != Kind.DECL_REF_EXPR or children  # what stands for a template's parameter has a child
        number = cursors.constant(cursor) if is_number else None
        return self.anything(cursor, children) if number is None else lambda: number

    def anything(self, cursor, children):
        inner = [self.value(child) for child in children if child.kind.is_expression()]
        result = self.not_known(cursor, "is not evaluated")
        return lambda: (self.use(*[item() for item in inner]), result())[1]

    def not_known(self, cursor, why):
        """To the value that the caller gives for this text, else to the unknown."""
        text = self.parsed.text(cursor)
        give = "" if cursor.kind == Kind.FLOATING_LITERAL else f": give '{text}=VALUE'"
        result = self.unknown(cursor, f"{text} {why}{give}")
        return self.values.get(squeezed(text)) or (lambda: result)

    def converted(self, inner, kind, before=None):
        kind = kind.get_canonical().kind
        changes = kind in INTEGERS and (before is None or before.get_canonical().kind != kind)
        if changes and INTEGERS[kind][0] < 32:
            sign, keeps = ("?", 0) if kind == TypeKind.BOOL else ("&", (1 << INTEGERS[kind][0]) - 1)
            return lambda: (self.note(id(inner), sign, value := inner(), keeps), wrap(value, kind))[1]
        return (lambda: wrap(inner(), kind)) if changes else inner

    def applied(self, name, function, inner):
        """To its value of integers; anything else stays as it is."""

        def run():
            values = [item() for item in inner]
            other = next((item for item in values if not isinstance(item, int)), None)
            if name not in PREFIXES or name == "!":
                self.note(id(inner), {"!": "?"}.get(name, name), *values)
            return function(*values) if other is None else other

        return run

    def listed(self, cursor, children):
        """An initialiser, or make_float4(...)."""
        kind, zeros = cursor.type.get_canonical(), []
        if kind.kind == TypeKind.RECORD and cursor.kind == Kind.INIT_LIST_EXPR:
            items = [(way, value) for way, value in cursors.members_set(cursor) if way]
            offsets = [sum(item.get_field_offsetof() for item in way) // 8 for way, _ in items]
            children, named = [value for _, value in items], {way[0].spelling for way, _ in items}
            zeros = [(item.get_field_offsetof() // 8, 0) for item in kind.get_fields()
                     if item.spelling not in named and kind_of(item) in INTEGERS]  # fmt: skip
        elif kind.kind == TypeKind.RECORD:
            offsets = [item.get_field_offsetof() // 8 for item in kind.get_fields()]
        elif kind.kind in ARRAYS:
            size = kind.get_array_element_type().get_size()
            offsets = [size * i for i in range(len(children))]
        else:
            return self.value(children[0]) if children else lambda: 0
        inner = [self.value(child) for child in children]
        return lambda: spread([*zeros, *zip(offsets, (item() for item in inner), strict=False)])

    def binary(self, cursor, children):
        sign, (left, right) = cursors.binary(cursor), children
        if sign == "=":
            return self.assignment(left, self.value(right))
        if cursor.kind == Kind.COMPOUND_ASSIGNMENT_OPERATOR:
            return self.update(cursor, left, sign[:-1], self.value(right), right.type)
        first, second = self.value(left), self.value(right)
        if sign == ",":
            return lambda: (first(), second())[1]
        if sign in ("&&", "||"):
            return lambda: self.logical(cursor, (first, second), sign == "&&")
        return self.arithmetic(cursor, sign, (first, second), (left.type, right.type), cursor.type)

    def logical(self, cursor, operands, is_and):
        unknown = None
        for operand in operands:
            self.note(id(cursor), "?", value := operand())
            if not isinstance(value, Unknown) and bool(value) != is_and:
                return int(not is_and)
            unknown = unknown or (value if isinstance(value, Unknown) else None)
        return unknown or int(is_and)

    def arithmetic(self, cursor, sign, inner, types, result_type):
        operation, (left, right), is_sum = ARITHMETIC.get(sign), inner, sign in "+-"
        sizes, kind = [values.pointee_size(item) for item in types], result_type.get_canonical().kind
        if operation is None:
            self.refuse(cursor, "an operator that is not known")
        by_zero, no_integer = (self.unknown(cursor, why) for why in ("a division by zero", "it is no integer"))
        too_far = self.unknown(cursor, "a shift by less than 0 or more than 63")

        bits, is_signed = values.INTEGERS.get(kind, (0, False))
        low, high = (-(1 << bits - 1), 1 << bits - 1) if is_signed else (0, 1 << bits)
        is_simple, site = is_sum or sign in "*&", id(cursor)

        def run():
            a, b = left(), right()
            if not is_sum:
                self.note(site, sign, a, b)
            if type(a) is not int or type(b) is not int:
                return other(a, b)
            if is_simple:
                value = operation(a, b)
                return value if low <= value < high else wrap(value, kind)
            if sign in "/%" and b == 0:
                return by_zero
            if sign == "/" and kind not in INTEGERS and a % b:
                return no_integer
            if sign in ("<<", ">>") and not 0 <= b < 64:
                return too_far
            return wrap(operation(a, b), kind)

        def other(a, b):
            self.use(a, b)
            if sign in "*&" and 0 in (a, b):
                self.cancelled.update(wish for item in (a, b) for wish in values.wishes(getattr(item, "why", "")))
                return 0  # blockIdx.y * gridDim.x, of whatever grid
            for item, second in ((a, b), (b, a)):
                if isinstance(item, (Unknown, Fields)):
                    keeps = sign in "+-^|"
                    return item.with_other(second, keeps) if isinstance(item, Unknown) else Unknown("it is a struct")
            return values.address_arithmetic(sign, a, b, sizes)

        return run

    def assignment(self, left, right):
        place, kind = self.place(left), left.type.get_canonical()
        fields = fields_of(kind)

        def run():
            value = wrap(right(), kind.kind)
            self.store(left, place(), value, kind, fields)
            return value

        return run

    def update(self, cursor, left, sign, right, right_type, is_old=False):
        """`left sign= right`: its place is evaluated once."""
        place, kind, now, before = self.place(left), left.type.get_canonical(), [], []
        old, number = self.read(left, lambda: now[-1]), kind.kind
        change = self.arithmetic(cursor, sign, (lambda: before[-1], right), (left.type, right_type), cursor.type)

        def run():
            now.append(place())
            before.append(old())
            value = wrap(change(), number)
            self.store(left, now.pop(), value, kind)
            was = before.pop()
            return was if is_old else value

        return run

    def unary(self, cursor, children):
        sign, child = cursors.unary(cursor), children[0]
        if sign == "&":
            return self.place(child)
        if sign == "*":
            return self.read(cursor)
        if is_step(cursor):
            return self.update(cursor, child, sign[-1], lambda: 1, cursor.type, sign[0] == "p")
        if sign not in PREFIXES:
            return self.anything(cursor, children)
        return self.converted(self.applied(sign, PREFIXES[sign], [self.value(child)]), cursor.type)

    def choice(self, cursor, children, build=None):
        condition = self.value(children[0])
        (yes, of_yes), (no, of_no) = (self.with_elements(build or self.value, child) for child in children[1:])
        settles, text = self.is_settled(children[0]), self.parsed.text(children[0])
        calls = all(any(part.kind == Kind.CALL_EXPR for part in child.walk_preorder()) for child in children[1:])

        def run():
            is_yes = self.takes(cursor, text, asked := condition())
            if calls:  # nvcc evaluates both sides of others, and selects
                self.part_ways(cursor, text, is_yes)
            self.turn += not settles
            if settles and not isinstance(asked, Unknown):
                self.reached |= of_no if is_yes else of_yes
            value = yes() if is_yes else no()
            self.log.append(None)
            return value

        return run

    def call(self, cursor, children):
        run = self.called(cursor, children)
        return run if self.moves_past(cursor) else lambda: (self.doubt(), run(), self.doubt())[1]

    def called(self, cursor, children):  # noqa: PLR0911
        name, arguments, target = cursor.spelling, list(cursor.get_arguments()), cursor.referenced
        if inlined := self.inlined_call(cursor):
            return self.read(cursor, inlined) if is_reference(target) else inlined
        if name == "operator=" and len(arguments) == 2 and not self.may_hide(cursor):
            return self.assignment(arguments[0], self.value(arguments[1]))
        inner, kind = [self.value(item) for item in arguments], cursor.type.get_canonical()
        if self.may_hide(cursor):
            return self.lent(cursor, name, arguments, inner)
        if name.startswith("operator"):
            return self.by_operator(cursor, arguments, inner)
        if name in ("__syncthreads", "__syncwarp", "sync") or name.startswith("__threadfence"):
            return lambda: (self.log.append(None), setattr(self, "turn", self.turn + 1))[1]
        if name in ("load_matrix_sync", "store_matrix_sync"):
            return self.fragment(cursor, name[0] == "l", inner)
        if name == "__shfl_sync" and len(inner) > 2:
            return self.broadcast(cursor, inner)
        if name in values.FUNCTIONS:
            return self.converted(self.applied(name, values.FUNCTIONS[name], inner), cursor.type)
        if len(inner) == 1 and ("to_shared" in name or "cvta_generic" in name or is_copy(target, arguments[0])):
            return inner[0]
        if name.startswith("make_") and kind.kind == TypeKind.RECORD:
            return self.listed(cursor, arguments)
        if inner and (name in LOADERS + STORERS or name.startswith("atomic")):
            op = "cas" if name == "atomicCAS" else "atomic" if cursor.hash in self.statements else "fetch"
            op = "load" if name in LOADERS else "store" if name in STORERS else op
            self.past_l1 |= {cursor.hash} if name == "__ldcg" else set()
            is_atomic = name.startswith("atomic")
            in_shared, self.joins[cursor.hash] = self.of_atomic(op, name, arguments) if is_atomic else (op, 0)
            return self.through_pointer(cursor, (op, in_shared), arguments[0].type, inner)
        if name == "printf":
            return self.anything(cursor, arguments)
        return self.of_warp(cursor, name, inner) or self.lent(cursor, name, arguments, inner)

    def by_operator(self, cursor, arguments, inner):
        sign, types = cursor.spelling.removeprefix("operator"), [item.type for item in arguments]
        if sign[0] == " " and (objects := objects_of(cursor)):
            return self.value(objects[0])  # a conversion
        if len(arguments) == 2 and sign in ARITHMETIC:
            return self.arithmetic(cursor, sign, inner, types, cursor.type)
        if len(arguments) == 2 and sign[-1] == "=" and sign[:-1] in ARITHMETIC:
            return self.update(cursor, arguments[0], sign[:-1], inner[1], types[1])
        return self.lent(cursor, cursor.spelling, arguments, inner)

    def of_atomic(self, op, name, arguments) -> tuple[str, int]:
        """What nvcc makes of an atomic of shared memory: LOOP where no instruction does it; "inc" of an addition of the
        constant 1 whose old value nobody wants. And lanes that must be active for nvcc to reduce their values first, so
        that one lane does the atomic; 0: it does not. (13.0: the address is the same for all threads; integers of 32
        bits, of which the old value of a sum alone may be used, by a scan of a whole warp; sums of a uniform value,
        also of 64 bits.)"""
        kind, name = arguments[0].type.get_canonical().get_pointee().get_canonical(), name.partition("_")[0]
        value, bits = arguments[-1], INTEGERS.get(kind.kind, (0,))[0]
        is_given = any(token.spelling in self.given for token in value.get_tokens())  # it may be a parameter
        counts = (name, cursors.constant(value)) in COUNTS
        sums, is_plain, is_word = counts or name in ("atomicAdd", "atomicSub"), op == "atomic", bits == 32
        whole = op if name in ("atomicExch", "atomicCAS") else LOOP
        in_shared = whole if not is_word else "inc" if is_plain and counts and not is_given else op
        if bits not in (32, 64) or not self.is_uniform(arguments[0]):
            return in_shared, 0
        is_one = (sums and self.is_uniform(value)) or (is_word and is_plain and (sums or name in REDUCED))
        return in_shared, 1 if is_one else LANES * (is_word and sums)

    def inlined_call(self, cursor):
        """A function or method of the text or of a header of it; None: it is none."""
        function, arguments = cursors.definition(cursor), list(cursor.get_arguments())
        if function is None or self.parsed.is_broken(function) or is_virtual(cursor):
            return None
        if function.kind == Kind.FUNCTION_DECL:
            return self.inlined(cursor, function, arguments, lambda: None)
        if function.kind == Kind.CONSTRUCTOR:
            new = Pointer(Array("", "", 0, "", 1, []), 0)
            run = self.inlined(cursor, function, arguments, lambda: new)
            return lambda: (run(), Fields({p.offset: v for p, v in self.registers.items() if p.array is new.array}))[1]
        if objects := objects_of(cursor):
            return self.inlined(cursor, function, arguments, self.address(objects[0]))
        if cursor.spelling.startswith("operator") and len(arguments) > len(list(function.get_arguments())):
            return self.inlined(cursor, function, arguments[1:], self.place(arguments[0]))
        return self.inlined(cursor, function, arguments, lambda: self.this)

    def address(self, thing):
        """Of an object, or the one that a pointer has."""
        return (self.value if is_pointer(thing) else self.place)(thing)

    def may_hide(self, call) -> bool:
        """True if what is not followed gets a struct with an address in it, or clang does not understand its body."""
        function, things = call.referenced, [*call.get_arguments(), *objects_of(call)]
        records = [item.type for item in things if kind_of(item) == TypeKind.RECORD]
        if function is None:
            return any(holds_address(item) for item in records)
        if function.kind == Kind.CXX_METHOD and not things:
            records = [function.semantic_parent.type]  # of `this`
        is_risk = any(holds_address(item) for item in records) and not function.is_default_method()
        return is_risk or is_virtual(call) or self.parsed.is_broken(cursors.definition(call) or function)

    def through_pointer(self, cursor, ops, pointer_type, inner):
        kind = pointer_type.get_canonical().get_pointee().get_canonical()
        result, size, alignment = self.not_known(cursor, "is read from memory"), kind.get_size(), kind.get_align()
        key, fields = self.element(cursor, cursor), leaves_of(kind) if ops[0] == "load" else {}

        def run():
            self.reached.add(key)
            where, *values = [item() for item in inner]
            self.recorded = self.use(*values)
            if isinstance(where, Unknown) or where.array.space:
                in_shared = isinstance(where, Pointer) and where.array.space == "shared"
                self.record(cursor, ops[in_shared], where, size, alignment)
            return self.loaded(result(), fields)

        return run

    def lent(self, cursor, name, arguments, inner, text=""):
        """A function without a body: what it does with an address is not known, except of memcpy and its like."""
        objects, is_macro = objects_of(cursor), name.isupper() and self.parsed.absent()
        hides = is_macro or self.may_hide(cursor) or ACCESS.search(text) is not None
        pointees = [item.type.get_canonical().get_pointee().get_canonical() for item in arguments]
        pointees += [item.type.get_canonical() for item in objects]
        operands = [int(number) for number, _ in ADDRESS.findall(text)] if name == "asm" else [
            i for i, item in enumerate([*arguments, *objects]) if pointees[i].kind != TypeKind.INVALID
            and not any(part.kind == Kind.STRING_LITERAL for part in item.walk_preorder())]  # fmt: skip
        inner = inner + [self.address(item) for item in objects]
        result, does = self.not_known(cursor, "is not evaluated"), COPIES.get(name, ())
        changed = self.unknown(cursor, f"{name} may set it")
        key = self.element(cursor, cursor) if hides or any(item.kind != TypeKind.INVALID for item in pointees) else None

        def run():
            self.reached.add(key)
            values, is_asked = [item() for item in inner], self.within or self.is_wanted(cursor)
            self.use(*values)
            self.log += [None] if operands or "sync" in name or name == "asm" else []
            if hides and is_asked:
                self.lose(cursor, f"since {name} is not evaluated and may access memory")
            for i, (where, pointee, op) in enumerate(itertools.zip_longest(values, pointees, does)):
                if isinstance(where, Unknown) and (where.is_address or i in operands) and is_asked:
                    self.lose(cursor, f"since the address that {name} gets is not known", where, op=op or "")
                if not isinstance(where, Pointer):
                    continue
                if not where.array.space:
                    self.use(*(was for at, was in self.registers.items() if at.array is where.array))
                if not where.array.space and op != "load":
                    self.store(cursor, where, changed, pointee, fields_of(pointee))
                    if is_asked and holds_address(pointee):
                        self.lose(cursor, f"since what {name} does with an address in {where.array.name} is not known")
                elif not where.array.space:
                    continue
                elif op and isinstance(values[-1], int):
                    self.record(cursor, op, where, values[-1], max(pointee.get_align(), 1))
                elif is_asked:
                    self.lose(cursor, f"since what {name} does with an address of {where.array.name} is not known")
            return result()

        return run
