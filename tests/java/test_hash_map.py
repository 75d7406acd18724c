"""The order of a Java HashMap, against the rules written out plainly and a real JVM."""

import subprocess
from pathlib import Path
from typing import Any
from zlib import crc32

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
        if len(keys) >= 8:
            assert len(table) < 64, "a tree"
            table = grow()
    if called_again and len(hashes) > len(table) * 0.75:
        table = grow()
    return [key for keys in table for key in keys]


def order(hashes: list[int], called_again: bool) -> list[int]:
    positions: list[int] = hash_map.map_order(
        np.array(hashes, np.uint32), called_again=called_again, rank=lambda keys: keys
    ).tolist()
    return positions


@given(st.lists(st.integers(0, MASK), max_size=200), st.booleans())
def test_order(hashes: list[int], called_again: bool) -> None:
    assert order(hashes, called_again) == list_order(hashes, called_again)


@given(st.lists(st.integers(0, 40).map(lambda n: n * 16), max_size=40, unique=True), st.booleans())
def test_order_when_a_full_bin_makes_a_small_table_grow(hashes: list[int], again: bool) -> None:
    try:
        expected = list_order(hashes, again)
    except AssertionError:
        return
    assert order(hashes, again) == expected


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
        rank=lambda keys: keys,
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


def crowded_cases() -> list[tuple[str, bool, Any]]:
    """Keys that collide so much that bins become trees, and lists again, as tables grow.

    Java's type of the keys, whether the last one is asked for again, and their values.
    """
    rng = np.random.default_rng(7)
    cases = []
    for round_ in range(60):
        count = int(rng.integers(1, 4000 if round_ < 50 else 30_000))
        again = bool(rng.integers(2))
        for kind, values in {
            "double": rng.permutation(count),  # whole numbers: the lower half of the bits is 0
            "long": rng.permutation(count) * (1 << int(rng.integers(0, 12))),
            "long ": rng.permutation(np.r_[np.arange(count), ~np.arange(count)]),  # same hashes
            "long  ": rng.permutation(count // 16 + 1) * (2**32) + 5,
            "long   ": (rng.permutation(count) << 32) ^ (rng.integers(0, 5, count) << 20),
        }.items():
            cases.append((kind.strip(), again, values.astype(np.int64)))
    return cases


def order_of(kind: str, again: bool, values: Any) -> Any:
    hashes = (
        hash_codes.hash_longs(values)
        if kind == "long"
        else hash_codes.hash_doubles(values.astype(float))
    )
    return hash_map.map_order(hashes, called_again=again, rank=values.take)


FIRST_ORDERS = """
75a42d53 51d31e62 b1a566be 48e70074 0cc6e405 8bf8c542 9d1aa645 6ceee3dd d6e59713 145ffda6 10a11915
8c684e52 00501af1 8ef41c75 5fb2f43d 63255de5 5139053f cba65871 3706ef86 d78574c8 77b2d404 6a3d75d7
a2494ef6 8f3aa9a8 dae72411 650e2d71 3a755913 c188beae b34319d2 985d3359 c0a955b7 0513e24f 286f7004
577c6610 f8b0bf06 c6b6b0fa 4fd3e109 d6064196 4a55d84c 5ed2024f 243f2327 79d1c497 48aa9444 7d91c4d9
1a0bbfde 2324acaa ee3524ad 20f83c69 6b02a7d6 080ff5ea f0439b25 434193bf 629a145f ee235d1e cc2e4bf0
26c83e7b f8a39de7 53831b9c 581ebc23 6b21bdec
"""
"""CRCs of the orders that Java gave to the first crowded cases."""


def test_order_is_that_of_a_hash_map_with_trees() -> None:
    wanted = FIRST_ORDERS.split()
    cases = crowded_cases()[: len(wanted)]
    found = [f"{crc32(order_of(*case).astype('<i8').tobytes()):08x}" for case in cases]
    assert found == wanted


@pytest.mark.java
def test_order_is_that_of_a_real_hash_map_with_trees(tmp_path: Path) -> None:
    cases = crowded_cases()
    text = "".join(
        f"{kind} {len(values)} {str(again).lower()} {' '.join(map(str, values.tolist()))}\n"
        for kind, again, values in cases
    )
    source = tmp_path / "Order.java"
    source.write_text(JAVA)
    run = subprocess.run(
        ["java", str(source)], input=text, capture_output=True, text=True, check=True
    )
    for case, line in zip(cases, run.stdout.splitlines(), strict=True):
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
