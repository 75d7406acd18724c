"""The order of a Java HashMap, against the rules written out plainly and a real JVM."""

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.java import hash_codes, hash_map

MASK = 0xFFFFFFFF


def list_order(hashes: list[int], called_again: bool) -> list[int]:
    """A HashMap whose bins are lists, by the rules in the order in which they act."""
    spread = [h ^ h >> 16 for h in hashes]
    table: list[list[int]] = [[] for _ in range(16)]

    def grow() -> list[list[int]]:
        larger: list[list[int]] = [[] for _ in range(2 * len(table))]
        for keys in table:
            for key in keys:
                larger[spread[key] & (len(larger) - 1)].append(key)
        return larger

    for key in range(len(hashes)):
        if key > len(table) * 0.75:
            table = grow()
        keys = table[spread[key] & (len(table) - 1)]
        keys.insert(0, key)
        if len(keys) >= 8 and len(table) < 64:
            table = grow()
    if called_again and len(hashes) > len(table) * 0.75:
        table = grow()
    return [key for keys in table for key in keys]


def order(hashes: list[int], called_again: bool) -> list[int]:
    positions: list[int] = hash_map.map_order(
        np.array(hashes, np.uint32), called_again=called_again
    ).tolist()
    return positions


@given(st.lists(st.integers(0, MASK), max_size=200), st.booleans())
def test_order(hashes: list[int], called_again: bool) -> None:
    assert order(hashes, called_again) == list_order(hashes, called_again)


@given(st.lists(st.integers(0, 40).map(lambda n: n * 16), max_size=40, unique=True), st.booleans())
def test_order_when_bins_are_full(hashes: list[int], again: bool) -> None:
    """Small tables grow, so that Java makes no tree. In larger ones, the newest key is first."""
    assert order(hashes, again) == list_order(hashes, again)


@pytest.mark.parametrize("count", [0, 1, 12, 13, 24, 25, 48, 49, 97, 98, 6145, 6146, 100_000])
def test_order_at_the_sizes_where_the_table_grows(count: int) -> None:
    hashes = np.random.default_rng(count).permutation(2 * count + 1)[:count].tolist()
    for called_again in False, True:
        assert order(hashes, called_again) == list_order(hashes, called_again)


@given(st.lists(st.integers(0, 500), max_size=120), st.data())
def test_order_of_some_keys_is_a_part_of_the_order(hashes: list[int], data: st.DataObject) -> None:
    among = sorted(
        data.draw(st.sets(st.sampled_from(range(len(hashes)))) if hashes else st.just(set()))
    )
    codes = np.array(hashes, np.uint32)
    positions = hash_map.map_order(
        codes,
        called_again=True,
        among=np.array(among, np.int64),
    )
    assert positions.tolist() == [i for i in order(hashes, True) if i in set(among)]


JAVA = """
import java.util.*;
public class Order {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        while (in.hasNext()) {
            String kind = in.next();
            int n = in.nextInt();
            boolean again = in.nextBoolean();
            HashMap<Object, Integer> map = new HashMap<>();
            Object key = null;
            for (int i = 0; i < n; i++) {
                long value = in.nextLong();
                key = kind.equals("long") ? (Object) value : (Object) (double) value;
                final int position = i;
                map.computeIfAbsent(key, k -> position);
            }
            if (again && n > 0) map.computeIfAbsent(key, k -> -1);
            StringBuilder out = new StringBuilder();
            map.forEach((k, v) -> out.append(v).append(' '));
            System.out.println(out);
        }
    }
}
"""


def cases() -> list[tuple[str, bool, Any]]:
    """Keys of which up to 7 share a bin, so that no bin becomes a tree.

    Java's type of the keys, whether the last one is asked for again, and their values.
    """
    rng = np.random.default_rng(7)
    drawn = []
    for _ in range(60):
        count = int(rng.integers(1, 400))
        again = bool(rng.integers(2))
        shift = int(rng.integers(0, 2))
        for kind, values in {
            "double": rng.uniform(-(2**62), 2**62, count),
            "long": rng.permutation(count) << shift,
            "long ": rng.permutation(np.r_[np.arange(count), ~np.arange(count)]),  # same hashes
            "long  ": rng.integers(-(2**62), 2**62, count),
        }.items():
            drawn.append((kind.strip(), again, values.astype(np.int64)))
    return drawn


def order_of(kind: str, again: bool, values: Any) -> Any:
    hashes = hash_codes.hash_numbers(values if kind == "long" else values.astype(float))
    return hash_map.map_order(hashes, called_again=again)


@pytest.mark.java
def test_order_is_that_of_a_real_hash_map(tmp_path: Path) -> None:
    drawn = cases()
    text = "".join(
        f"{kind} {len(values)} {str(again).lower()} {' '.join(map(str, values.tolist()))}\n"
        for kind, again, values in drawn
    )
    source = tmp_path / "Order.java"
    source.write_text(JAVA)
    run = subprocess.run(
        ["java", str(source)], input=text, capture_output=True, text=True, check=True
    )
    for case, line in zip(drawn, run.stdout.splitlines(), strict=True):
        assert order_of(*case).tolist() == [int(item) for item in line.split()]


def test_names_put_one_after_another() -> None:
    names: hash_map.JavaMap[str, int] = hash_map.JavaMap()
    for i, name in enumerate(["m[k2]", "status", "user_id", "Aa", "BB", "status"]):
        names.put(name, i)
    assert len(names) == 5
    positions = dict(names)
    assert positions["status"] == 5
    order = list(positions)
    assert order.index("Aa") < order.index("BB")  # the same hash: a new name goes to the end


def test_names_computed_if_absent() -> None:
    names: hash_map.JavaMap[str, str] = hash_map.JavaMap()
    for name in ["Aa", "BB", "Aa"]:
        assert names.compute_if_absent(name, name.strip) == name
    assert [name for name, _ in names] == ["BB", "Aa"]  # a new name goes to the head
    for i in range(40):
        names.compute_if_absent(f"column_{i}", str)
    assert len(names) == 42
