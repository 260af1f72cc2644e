"""Instructions that the text names: PTX of asm statements, and by the name of a wrapper ldmatrix, stmatrix, cp.async;
what lane 0 hands on."""

import re

from clang.cindex import CursorKind as Kind

from .memory import Memory
from .values import Pointer, Unknown, moved

MATRIX = re.compile(r"(?i)(ld|st)(?:matrix|sm)[\w.]*?x([124])")
COPY, NO_COPY = re.compile(r"cp[._]async|memcpy_async"), re.compile(r"wait|commit")
SIZE = re.compile(r"\]\s*,\s*(4|8|16)\b")
ENGINE = re.compile(r"(cp[._](reduce[._])?async[._]bulk|wgmma|tcgen05[._](mma|cp))(?![._](commit|wait|fence|arrive))")
"""What reads or writes whole tiles, without the lanes: it has no law here."""
PAST_L1 = re.compile(r"async[._]cg|ld\.global\S*\.cg")
TEXTURE = re.compile(r"(tex|surf)([123]D|Cubemap)")
PLAIN = re.compile(
    r"\b(ld|st|red|atom)((?:\.[\w:]+)*?)(?:\.v([248]))?\.b?[busf](8|16|32|64|128)(x2)?\b(?!\.)[^;[]*\[\s*%(\d*)(?:\s*\+\s*(\d+))?"
)
"""Name, what it is, elements, bits, whether two are one, the operand of the address, and what is added."""
OPS = {"ld": "load", "st": "store", "red": "atomic", "atom": "fetch"}


class Instructions(Memory):
    def of_warp(self, cursor, text, inner):
        """To what the instruction does with the addresses that it gets; None: it is none of these."""
        if TEXTURE.match(text):
            unread = self.unknown(cursor, "it is read from a texture")
            return lambda: (self.lose(cursor, "since textures and surfaces have no law"), unread)[1]
        engine = ENGINE.search(text)
        lanes = "" if engine else text
        matrix, copies = MATRIX.search(lanes), COPY.search(lanes) and not NO_COPY.search(lanes)
        plain = PLAIN.findall(lanes) if cursor.kind == Kind.ASM_STMT else []
        if not (engine or matrix or copies or plain):
            return None
        result, key = self.unknown(cursor, "it is read from memory"), self.element(cursor, cursor)
        self.past_l1 |= {cursor.hash} if PAST_L1.search(text) else set()

        def run():
            self.reached.add(key)
            values = [item() for item in inner]
            places = [item for item in values if isinstance(item, Pointer) and item.array.space]
            lost = next((item for item in values if isinstance(item, Unknown)), Unknown("no address is given"))
            written = [int(size) for size in SIZE.findall(text)]
            size = next((item for item in (*written, *reversed(values)) if item in (4, 8, 16)), 16)
            is_group = "memcpy_async" in text and bool(copies) and (values[0] not in places or size not in values)
            self.bulk |= {item.array for item in places} if engine or is_group else set()
            if engine and (self.within or self.is_wanted(cursor)):
                self.lose(cursor, f"since {engine[0]} has no law: it moves whole tiles, not words of lanes")
            elif matrix and self.lane < 8 * int(matrix[2]):
                self.record(cursor, f"{matrix[1].lower()}matrix", places[0] if places else lost, 16, 16)
            elif copies:
                if is_group:
                    return self.lose(cursor, "since it may copy other than 4, 8 or 16 bytes of each lane") or result
                for place, op in zip(places, ("store", "load"), strict=False):
                    self.record(cursor, op, place, size, size)
            for name, does, count, bits, pair, operand, added in () if matrix or copies else plain:
                size = int(bits) // 8 * int(count or 1) * (2 if pair else 1)
                given = values[int(operand)] if operand and int(operand) < len(values) else lost
                place = given if isinstance(given, (Pointer, Unknown)) else places[0] if places else lost
                op = "cas" if ".cas" in does else OPS[name]
                self.record(cursor, op, moved(place, int(added or 0), 1), size, size)
            return result

        return run

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
                self.record(cursor, "ldmatrix", moved(place, self.lane % 16 * row + self.lane // 16 * 8, 2), 16, 16)
                return result
            before, size = self.round, 2 * element
            for i, at in enumerate((0, 8 * row, 8, 8 * row + 8)):
                self.round = (*before, i)
                pair = moved(place, self.lane // 4 * row + self.lane % 4 * 2 + at, element)
                self.record(cursor, "load" if is_load else "store", pair, size, size)
            self.round = before
            return result

        return run

    def broadcast(self, cursor, inner):
        """Of __shfl_sync: the value of lane 0, which runs first, where that is the one asked for."""
        result = self.not_known(cursor, "is the value of another lane")

        def run():
            _, value, lane, *width = [item() for item in inner]
            key = (cursor.hash, self.path, self.round)
            if self.lane == 0:
                self.of_lane_0[key] = value
            is_first = lane == 0 and width in ([], [32]) and isinstance(self.of_lane_0.get(key), int)
            return self.of_lane_0[key] if is_first else result()

        return run
