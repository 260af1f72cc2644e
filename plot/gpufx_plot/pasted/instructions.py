"""Instructions that the text names: PTX of asm statements, and by the name of a wrapper ldmatrix, stmatrix, cp.async;
what lane 0 hands on."""

import re
from types import SimpleNamespace

from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

from .memory import LOOP, Memory, fields_of
from .values import Loaded, Pointer, Unknown, moved

MATRIX = re.compile(r"(?i)(ld|st)(?:matrix|sm)[\w.]*?x([124])")
COPY = re.compile(r"cp[._]async(?![._\w]*(?:wait|commit))|memcpy_async")
SIZES = re.compile(r"\]\s*,\s*(%?\d+)" + r"(?:\s*,\s*(%?\d+))?" * 2)
"""Of a copy: its bytes, those of them that are read, the policy of a cache."""
ADDRESS = re.compile(r"\[\s*%(\d+)\s*(?:\+\s*(\d+)\s*)?\]")
"""The operand, and what is added."""
GUARD = re.compile(r"setp\.ne\.\w+\s+(\w+)\s*,\s*%(\d+)\s*,\s*0\s*;.*@\1\b", re.DOTALL)
ENGINE = re.compile(r"(cp[._](reduce[._])?async[._]bulk|wgmma|tcgen05[._](mma|cp))(?![._](commit|wait|fence|arrive))")
"""What reads or writes whole tiles, without the lanes: it has no law here."""
PAST_L1 = re.compile(r"async[._]cg|ld\.global\S*\.cg")
TEXTURE = re.compile(r"(tex|surf)([123]D|Cubemap)")
PLAIN = re.compile(
    r"\b(ld|st|red|atom)((?:\.[\w:]+)*?)(?:\.v([248]))?\.b?([busf])(8|16|32|64|128)(x2)?\b(?!\.)([^;[]*)\[\s*%(\d*)(?:\s*\+\s*(\d+))?"
)
"""Name, what it is, elements, type, bits, whether two are one, registers, operand of the address, what is added."""
STRING = re.compile(r'"(?:\\.|[^"\\])*"')
ASM = re.compile(r"\b_{0,2}asm(?:_{1,2})?\b(?:" + STRING.pattern + r'|[^";])*')
ACCESS = re.compile(r"\b(?:ld|st|red|atom)\.(?!param)")
OPERAND = re.compile(r'"\s*([=+]?)[^"\n]*"\s*\(')
"""Of an asm statement, and whether it is set."""
OPS = {"ld": "load", "st": "store", "red": "atomic", "atom": "fetch"}


def in_memory(value, added=0):
    """An address in memory, or the unknown: a lane without either would be taken for an inactive one."""
    place = moved(value, added, 1)
    return Unknown("it is of no memory") if isinstance(place, Pointer) and not place.array.space else place


def nth(cursor, i: int):
    """Of several accesses of one statement, each has a cursor of its own."""
    names = ("kind", "type", "location", "extent", "spelling", "get_children")
    return SimpleNamespace(hash=hash((cursor.hash, i)), **{of: getattr(cursor, of) for of in names}) if i else cursor


class Instructions(Memory):
    outputs = ()  # of an asm statement that is running: values by operand

    def asm_text(self, cursor) -> str:
        """With the macros that it is in, or has; of several statements that differ what no instruction is."""
        texts, known = [self.parsed.text(cursor)], set()
        for text in texts:
            new = set(re.findall(r"[A-Za-z_]\w*", STRING.sub("", text))) - known
            known |= new
            texts += filter(None, map(self.parsed.definition, sorted(new)))
        found = {"".join(item.split()): item for text in texts for item in ASM.findall(text)}
        rest = [text for text in texts if not ASM.search(text)]
        return " ".join([*found.values(), *rest]) if len(found) == 1 else "ld.?"

    def of_asm(self, cursor, children):
        """What it sets is what a load says, the address that a conversion gets, or unknown."""
        text = self.asm_text(cursor)
        text = re.sub(r'"\s*"', "", re.sub(r"\\[nt]", " ", text))
        signs = (OPERAND.findall(text) + [""] * len(children))[: len(children)]
        changed = self.unknown(cursor, "asm sets it")
        set_by = {i: self.place(children[i]) for i, sign in enumerate(signs) if sign}
        inner = [(lambda: changed) if sign == "=" else self.value(item)
                 for item, sign in zip(children, signs, strict=True)]  # fmt: skip
        does = self.of_warp(cursor, text, inner)
        is_address = does is None and "cvta" in text and not ACCESS.search(text)
        does = does or (self.sequence(inner) if is_address else self.lent(cursor, "asm", children, inner, text))

        def run():
            self.outputs = {}
            self.doubt()
            values = does()
            address = next((item for item in values if isinstance(item, Pointer)), changed) if is_address else changed
            for i, place in set_by.items():
                kind = children[i].type.get_canonical()
                self.store(children[i], place(), self.outputs.get(i, address), kind, fields_of(kind))

        return run

    def hand_out(self, cursor, children, words: list[str], size: int) -> None:
        """Gives each register that the latest load sets what says whether it is used: ptxas loads no others. (13.0,
        sm_90: as of a struct, unless the load is volatile.)"""
        access, bytes_of = self.recorded, size // len(words)
        if access is None or len(words) < 2:
            return
        numbers = [int(word[1:]) if re.fullmatch(r"%\d+", word) else None for word in words]
        if any(at is None and word != "_" for at, word in zip(numbers, words, strict=True)):
            self.lose(cursor, "since it loads registers of PTX, of which ptxas may leave out some", op="load")
        for i, at in enumerate(numbers):
            name = "_" if at is None else children[at].spelling or self.parsed.text(children[at])
            access.fields[i * bytes_of] = (bytes_of, name)
            self.outputs[at] = Loaded("asm loads it", access=access, at=i * bytes_of, bytes=bytes_of)

    def of_warp(self, cursor, text, inner):
        """To what the instruction does with the addresses that it gets; None: it is none of these."""
        if TEXTURE.match(text):
            unread = self.unknown(cursor, "it is read from a texture")
            return lambda: (self.lose(cursor, "since textures and surfaces have no law"), unread)[1]
        engine = ENGINE.search(text)
        lanes = "" if engine else text
        matrix, copies = MATRIX.search(lanes), COPY.search(lanes)
        plain = PLAIN.findall(lanes) if cursor.kind == Kind.ASM_STMT else []
        if not (engine or matrix or copies or plain):
            return None
        result, key = self.unknown(cursor, "it is read from memory"), self.element(cursor, cursor)
        children = list(cursor.get_children()) if plain else []
        each = [(nth(cursor, i), re.findall(r"[%\w]+", item[6]), *item) for i, item in enumerate(plain)]
        is_strange = len(plain) < len(ACCESS.findall(lanes)) and cursor.kind == Kind.ASM_STMT
        self.past_l1 |= {cursor.hash} if PAST_L1.search(text) else set()
        operands = [(int(number), int(added or 0)) for number, added in ADDRESS.findall(text)]
        first, guard = next(cursor.get_arguments(), None), GUARD.search(text)
        is_group = "memcpy_async" in text and first and first.type.get_canonical().kind == TypeKind.RECORD
        no_law = f"since {engine[0]} has no law: it moves whole tiles, not words of lanes" if engine else (
            "since it may copy other than 4, 8 or 16 bytes of each lane" if is_group else "")  # fmt: skip
        condition = self.parsed.text([*cursor.get_children()][int(guard[2])]) if guard else ""

        def run():
            self.reached.add(key)
            values, is_asked = [item() for item in inner], self.within or self.is_wanted(cursor)
            self.log.append(None)
            places = [in_memory(values[number], added) for number, added in operands] or [
                item for item in values if isinstance(item, Unknown) or in_memory(item) == item]  # fmt: skip
            known = [item for item in places if isinstance(item, Pointer)]
            lost = next((item for item in places if isinstance(item, Unknown)), Unknown("no address is given"))
            self.bulk |= {item.array for item in known} if no_law else set()
            if not is_asked or (guard and not self.takes(cursor, condition, values[int(guard[2])])):
                return self.elsewhere.add(self.parsed.at(cursor.extent.start)) or result
            if no_law:
                self.lose(cursor, no_law)
            elif matrix and self.lane < 8 * int(matrix[2]):
                place = places[0] if operands else [*known, lost][0]
                self.record(cursor, f"{matrix[1].lower()}matrix", place, 16, 16)
            elif copies:
                self.copy(cursor, text, values, [*places, lost, lost])
            if is_strange:
                self.lose(cursor, "since asm is not evaluated and may access memory")
            for at, words, name, does, count, kind, bits, pair, _, operand, added in () if matrix or copies else each:
                size = int(bits) // 8 * int(count or 1) * (2 if pair else 1)
                place = in_memory(values[int(operand)], int(added or 0)) if operand else [*known, lost][0]
                self.recorded = None
                in_shared = isinstance(place, Pointer) and place.array.space == "shared"
                loops = in_shared and name in ("red", "atom") and (kind == "f" or bits != "32") and "exch" not in does
                op = "cas" if ".cas" in does else LOOP if loops else OPS[name]  # as of atomicAdd: in_shared
                self.record(at, op, place, size, size)
                if name == "ld" and "volatile" not in does:
                    self.hand_out(at, children, words, size)
            return result

        return run

    def copy(self, cursor, text, values, places) -> None:
        """By cp.async, to and from the first two places."""
        is_ptx, is_pipeline = cursor.kind == Kind.ASM_STMT, "pipeline" in text
        if is_ptx:
            words = [word for hit in SIZES.findall(text)[:1] for word in hit if word]
            sizes = [values[int(word[1:])] if word[0] == "%" else int(word) for word in words]
        elif "memcpy_async" in text:
            sizes = values[2 : 3 + is_pipeline]
        else:
            sizes = [item for item in values if item in (4, 8, 16)][:1]
        size, *more = sizes[: len(sizes) - ("cache_hint" in text)] or [16]
        if size not in (4, 8, 16):
            return self.lose(cursor, "since it may copy other than 4, 8 or 16 bytes of each lane")
        self.record(cursor, "store", places[0], size, size)
        if more and isinstance(more[0], Unknown):
            return self.lose(cursor, "since how much of it is zeros is not known", more[0], op="load")
        if not more or more[0] != (size if is_pipeline else 0):
            self.record(cursor, "load", places[1], size, size)
        return None

    def fragment(self, cursor, is_load, inner):
        """Of wmma: pairs of elements, of 8 rows and columns each, or ldmatrix. (nvcc 13, sm_90: 16x16x16.)"""
        arguments = list(cursor.get_arguments())
        tile, (pointer, where) = arguments[not is_load].type.spelling, (arguments[is_load], inner[is_load])
        element = pointer.type.get_canonical().get_pointee().get_size()
        is_known = "16, 16, 16" in tile and element == (4 if "float" in tile else 2)
        result, key = self.unknown(cursor, "it is read from memory"), self.element(cursor, cursor)

        def run():
            self.reached.add(key)
            place, row, *layout = where(), *(item() for item in inner[2:])
            if not is_known or not isinstance(row, int) or layout not in ([], [0]):
                why = row if isinstance(row, Unknown) else None
                return self.lose(cursor, "since its layout is not known here", why) or result
            in_shared = isinstance(place, Pointer) and place.array.space == "shared"
            if in_shared and "accumulator" not in tile:
                of_lane = moved(place, self.lane % 16 * row + self.lane // 16 * 8, 2)
                self.record(cursor, "ldmatrix", of_lane, 16, 16, 2 * row)
                return result
            before, size = self.round, 2 * element
            for i, at in enumerate((0, 8 * row, 8, 8 * row + 8)):
                self.round = (*before, i)
                pair = moved(place, self.lane // 4 * row + self.lane % 4 * 2 + at, element)
                self.record(cursor, "load" if is_load else "store", pair, size, size, element * row)
            self.round = before
            return result

        return run

    def broadcast(self, cursor, inner):
        """Of __shfl_sync: the value of lane 0, which runs first, where that is the one asked for."""
        result = self.not_known(cursor, "is the value of another lane")

        def run():
            _, value, lane, *width = [item() for item in inner]
            self.log.append(None)
            key = (cursor.hash, self.path, self.round)
            if self.lane == 0:
                self.of_lane_0[key] = value
            is_first = lane == 0 and width in ([], [32]) and isinstance(self.of_lane_0.get(key), int)
            return self.of_lane_0[key] if is_first else result()

        return run
