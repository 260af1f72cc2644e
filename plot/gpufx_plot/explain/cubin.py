"""What a cubin says of its functions: which source line each instruction is from, and through which calls it came.

A cubin is ELF. `nvcc -lineinfo` puts a line table of DWARF 2 into it, a program per compilation unit, whose addresses
are relocated by symbols of functions, one for each section of code. NVIDIA added two opcodes: 0x90 says that the rows
behind it were inlined, by the row of the call, counted from 1 in its sequence; 0x91 names a function. pyelftools reads
the ELF file and the header of the table; it skips opcodes that it does not know, so the program is run here."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise
from pathlib import PurePosixPath

MOST_ROWS = 5_000_000  # of a line table
DEEPEST = 16  # calls inlined into each other
INLINED_CALL, SET_ADDRESS, END_SEQUENCE = 0x90, 0x02, 0x01
COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC, FIXED_ADVANCE_PC = 1, 2, 3, 4, 8, 9

Place = tuple[str, int]  # file and line


@dataclass
class _Lines:
    """Of a section: where lines begin, and their places, the innermost first."""

    starts: list[int] = field(default_factory=list)
    places: list[tuple[Place, ...]] = field(default_factory=list)


@dataclass
class Function:
    """A function that was not inlined lies in the section of the kernel that calls it, behind the kernel."""

    index: int  # of its symbol
    begin: int  # in its section
    lines: _Lines
    section: bytes = b""

    def control(self, offset: int) -> int:
        """Bits 105 to 125 of an instruction: how long it stalls, and which scoreboards it waits for and releases."""
        word = self.section[self.begin + offset + 8 : self.begin + offset + 16]
        return int.from_bytes(word, "little") >> 41 & (1 << 21) - 1

    @property
    def has_lines(self) -> bool:
        return bool(self.lines.starts)

    def at(self, offset: int) -> tuple[Place, ...]:
        row = bisect_right(self.lines.starts, self.begin + offset)
        return self.lines.places[row - 1] if row else ()


@dataclass
class _Row:
    section: int | str | None
    offset: int
    file: int
    line: int
    caller: int
    ends: bool = False


def functions(content: bytes) -> dict[str, Function]:
    """By name. Without a line table, with no lines. Raises whatever reading a broken file does."""
    from elftools.elf.elffile import ELFFile  # takes longer to import than a trace to read

    elf = ELFFile(BytesIO(content))
    symbols = elf.get_section_by_name(".symtab")
    named = [] if symbols is None else [*enumerate(symbols.iter_symbols())]
    section_of = {i: s["st_shndx"] for i, s in named}
    lines = {section: _Lines() for section in section_of.values()}
    known = {
        s.name: Function(i, s["st_value"], lines[s["st_shndx"]], elf.get_section(s["st_shndx"]).data())
        for i, s in named
        if s["st_info"]["type"] == "STT_FUNC" and isinstance(s["st_shndx"], int)
    }
    section = elf.get_section_by_name(".debug_line")
    if section is not None:
        relocated = {}
        for table in elf.iter_sections():
            if table.name in (".rela.debug_line", ".rel.debug_line"):
                relocated |= {r["r_offset"]: section_of.get(r["r_info_sym"]) for r in table.iter_relocations()}
        for rows, files in _tables(section.data(), relocated):
            _give(lines, rows, files)
    return known


def _give(lines: dict[int, _Lines], rows: list[_Row], files: list[str]) -> None:
    """The rows of one table to the sections that they are of."""
    starts: dict[int, dict[int, tuple[Place, ...]]] = {}
    for row, then in pairwise([*rows, None]):
        if row.section in lines and not row.ends and not (then and not then.ends and then.offset == row.offset):
            starts.setdefault(row.section, {})[row.offset] = tuple(_chain(rows, files, row))
    for section, found in starts.items():
        lines[section].starts = sorted(found)
        lines[section].places = [found[start] for start in lines[section].starts]


def _chain(rows: list[_Row], files: list[str], row: _Row) -> Iterator[Place]:
    for _ in range(DEEPEST):
        name = files[row.file - 1] if 0 < row.file <= len(files) else ""
        if name and row.line > 0:
            yield name, row.line
        if not 0 < row.caller <= len(rows) or rows[row.caller - 1] is row:
            return
        row = rows[row.caller - 1]


def _text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")


def _files(header) -> list[str]:
    folders = [_text(name) for name in header["include_directory"]]
    found = []
    for entry in header["file_entry"]:
        name, at = _text(entry.name), entry.dir_index
        folder = folders[at - 1] if 0 < at <= len(folders) else ""
        found.append(str(PurePosixPath(folder, name)))
    return found


def _tables(data: bytes, relocated: dict[int, int | str | None]) -> Iterator[tuple[list[_Row], list[str]]]:
    from elftools.dwarf.structs import DWARFStructs

    structs = DWARFStructs(little_endian=True, dwarf_format=32, address_size=8, dwarf_version=2)
    stream, at = BytesIO(data), 0
    while at + 4 < len(data):
        stream.seek(at)
        header = structs.Dwarf_lineprog_header.parse_stream(stream)
        end = at + 4 + header["unit_length"]
        begin = at + 10 + header["header_length"]
        if end > len(data) or begin > end or not header["line_range"]:
            return
        yield _Machine(data, header, relocated).run(begin, end), _files(header)
        at = end


def _leb(data: bytes, at: int, signed: bool = False) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return (value - (1 << shift) if signed and byte & 0x40 else value), at


class _Machine:
    """Runs a line program. rows: in the order in which the program makes them, by which calls are numbered."""

    def __init__(self, data: bytes, header, relocated: dict[int, int | str | None]):
        self.data, self.header, self.relocated = data, header, relocated
        self.rows: list[_Row] = []
        self.first = 0  # row of the present sequence, which its calls are numbered from
        self.now = _Row(None, 0, 1, 1, 0)

    def run(self, at: int, end: int) -> list[_Row]:
        while at < end and len(self.rows) < MOST_ROWS:
            opcode = self.data[at]
            if opcode >= self.header["opcode_base"]:
                self._advance(opcode)
                at += 1
            elif opcode:
                at = self._standard(opcode, at + 1)
            else:
                at = self._extended(at + 1)
        return self.rows

    def _emit(self) -> None:
        self.rows.append(_Row(**vars(self.now)))

    def _move(self, steps: int) -> None:
        self.now.offset += self.header["minimum_instruction_length"] * steps

    def _advance(self, opcode: int) -> None:
        ahead, down = divmod(opcode - self.header["opcode_base"], self.header["line_range"])
        self._move(ahead)
        self.now.line += self.header["line_base"] + down
        self._emit()

    def _extended(self, at: int) -> int:
        length, at = _leb(self.data, at)
        kind, behind = self.data[at], at + length
        if kind == SET_ADDRESS:
            self.now.section = self.relocated.get(at + 1)
            self.now.offset = int.from_bytes(self.data[at + 1 : behind], "little")
        elif kind == INLINED_CALL:
            row, _ = _leb(self.data, at + 1)
            self.now.caller = self.first + row if row else 0
        elif kind == END_SEQUENCE:
            self.now.ends = True
            self._emit()
            self.first, self.now = len(self.rows), _Row(None, 0, 1, 1, 0)
        return behind

    def _standard(self, opcode: int, at: int) -> int:
        if opcode == FIXED_ADVANCE_PC:
            self.now.offset += int.from_bytes(self.data[at : at + 2], "little")
            return at + 2
        values = []
        for _ in range(self.header["standard_opcode_lengths"][opcode - 1]):
            value, at = _leb(self.data, at, signed=opcode == ADVANCE_LINE)
            values.append(value)
        if opcode == COPY:
            self._emit()
        elif opcode == ADVANCE_PC:
            self._move(*values)
        elif opcode == ADVANCE_LINE:
            self.now.line += values[0]
        elif opcode == SET_FILE:
            self.now.file = values[0]
        elif opcode == CONST_ADD_PC:
            self._move((255 - self.header["opcode_base"]) // self.header["line_range"])
        return at
