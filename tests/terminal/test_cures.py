"""What `gpufx pattern` proposes, typed back, costs what it was said to: random tiles, swizzles and accesses."""

import json
import os
import random
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
TYPES = {"char": 1, "half": 2, "float": 4, "double": 8, "float4": 16}
CURE = re.compile(
    r"^  (?:cure|or) +(?:padding|swizzle): (.*?):\s+(\d+) instead of (\d+)(?: \(.*\))? by the same law$", re.MULTILINE
)
ARRAY = re.compile(r"(\w+) \w+\[(\d+)\]\[(\d+) \+ (-?\d+)\]")


def gpufx(*words: str) -> subprocess.CompletedProcess:
    command = [TOP / "build/bin/gpufx", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"COLUMNS": "500"})


def pattern(*words: str) -> str:
    done = gpufx("pattern", "--arch", "sm_75", *words)
    return "" if done.returncode else done.stdout


def count(*words: str) -> float:
    steps = pattern("--format", "jsonl", *words).splitlines()
    return sum(json.loads(step)["costs"][0]["count"] for step in steps)


def invented(seed: int) -> dict:
    chance = random.Random(seed)
    name = chance.choice(list(TYPES))
    element, op = TYPES[name], chance.choice(["load", "store", "ldmatrix"])
    width = 16 if op == "ldmatrix" else chance.choice([w for w in TYPES.values() if w >= element])
    is_tile = chance.random() < 0.7
    if not is_tile:  # its elements are what is accessed
        element, name = width, next(name for name, size in TYPES.items() if size == width)
    each = width // element
    columns = chance.choice([4, 8, 16, 32, 33, 48, 64, 65, 80]) * each
    row = chance.choice(["lane", "lane%16", "lane%8", "lane/4", "lane*2", "lane*4"])
    column = chance.choice([f"t*{each}", f"lane/16%2*{each}", f"lane%4*{each}"])
    bits = chance.randint(1, 4)
    swizzle = f"{bits},{each.bit_length() - 1 + chance.randint(0, 2)},{bits + chance.randint(0, 3)}"
    return {
        "name": name, "element": element, "rows": chance.choice([32, 64, 128]), "columns": columns,
        "flat": f"(({row})*{columns} + {column})", "is_tile": is_tile,
        "swizzle": ["--swizzle", swizzle] if chance.random() < 0.5 else [],
        "access": ["--op", op, "--width", str(width), f"t=0:{chance.choice([0, 3])}"],
    }  # fmt: skip


def of_tile(one: dict, columns: int, more: int = 0) -> list[str]:
    return [
        "--tile", f"{one['name']}[{one['rows']}][{columns + more}]",
        "--expr", f"a[{one['flat']}/{one['columns']}][{one['flat']}%{one['columns']}]",
    ]  # fmt: skip


def of_index(one: dict, change: str) -> list[str]:
    """An index that is changed, as bytes."""
    return ["--expr", f"({change})*{one['element']}".replace("i", one["flat"])]


def typed(one: dict) -> list[str]:
    return of_tile(one, one["columns"]) if one["is_tile"] else of_index(one, "i")


def typed_back(one: dict, text: str) -> list[list[str]]:
    """The commands that a user makes of the cure."""
    if array := ARRAY.search(text):
        rows, columns, more = (int(number) for number in array.groups()[1:])
        tile = one | {"name": array[1], "rows": rows, "columns": columns}
        return [of_tile(tile, columns, more)]
    ways = []
    swizzle = re.search(r"Swizzle<(\d+),(\d+),(\d+)>", text)
    more = ["--swizzle", ",".join(swizzle.groups())] if swizzle else []
    if index := re.search(r"index (i [+^] i / \d+[ %*\d]*)", text):
        ways.append(of_index(one, index[1]))
        ways += [typed(one) + more] if more else []
    if column := re.search(r"column \^ row((?: % \d+)?(?: \* \d+)?), rows of (\d+)", text):
        row = int(column[2]) // one["element"]
        if not one["is_tile"]:  # it is as if rows of this length were declared
            one = one | {"rows": 4096, "columns": row}
        flat, old = one["flat"], one["columns"]
        columns = row if "without the padding" in text else old
        ways.append(of_tile(one, columns) + more)
        ways.append([*of_tile(one, columns)[:2], "--expr", f"a[{flat}/{old}][{flat}%{old} ^ {flat}/{old}{column[1]}]"])
    return ways


@pytest.mark.slow
def test_commands_that_it_names_run(tmp_path):
    sources = *TOP.glob("plot/gpufx_plot/pasted/*.py"), *TOP.glob("harness/pattern/*.c")
    named = {found for path in sources for found in re.findall(r"gpufx ((?:ask|plot) [\w =-]+)", path.read_text())}
    assert len(named) > 3
    for words in named:
        assert gpufx(*words.split(), *(["-o", tmp_path] if "plot" in words else [])).returncode == 0, words


@pytest.mark.parametrize(
    "code", ["tile[threadIdx.x][threadIdx.y] = 0;", "out[x] = in[idx[x]];", "a[2 * threadIdx.x] = 0;"]
)
def test_a_declaration_that_it_asks_for_is_taken(code):
    said = gpufx("pattern", "--code", code).stderr
    declared = said.partition("write in front '")[2].partition("'")[0]
    done = gpufx("pattern", "--code", f"{declared} {code}", *(["x=threadIdx.x"] if "[x]" in code else []))
    assert declared
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "seeds", [range(5), *(pytest.param(range(at, at + 9), marks=pytest.mark.slow) for at in range(5, 50, 9))]
)
def test_a_cure_typed_back_costs_what_was_said(seeds):
    for one in map(invented, seeds):
        before = [*typed(one), *one["swizzle"], *one["access"]]
        for text, after, was in CURE.findall(pattern(*before)):
            assert count(*before) == float(was)
            for words in typed_back(one, text):
                assert count(*words, *one["access"]) == float(after), (one, text, words)
