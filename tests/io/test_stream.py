"""A source as a Kaitai stream and as a file object: the same bytes as those of BytesIO."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaitaistruct import EndOfStreamError, InvalidArgumentError, KaitaiStream

from paimon_ksy.io.source import open_source
from tests.support.strategies import examples

DATA = bytes(range(200)) * 3


@examples(100)
@given(steps=st.lists(st.tuples(st.booleans(), st.integers(-2, 700)), max_size=12))
def test_it_reads_as_kaitai_s_own_stream(steps: list[tuple[bool, int]]) -> None:
    own = KaitaiStream(io.BytesIO(DATA))
    with open_source(DATA) as source:
        stream = source.stream
        assert stream.size() == own.size()
        for seeks, number in steps:
            if number < 0:
                with pytest.raises(InvalidArgumentError):
                    stream.seek(number) if seeks else stream.read_bytes(number)
            elif seeks:
                own.seek(min(number, len(DATA)))
                stream.seek(min(number, len(DATA)))
            else:
                left = len(DATA) - own.pos()
                if number > left:
                    with pytest.raises(EndOfStreamError, match=f"{number} bytes are needed"):
                        stream.read_bytes(number)
                    assert stream.pos() == len(DATA)  # where the file ends is what errors name
                    own.seek(len(DATA))
                else:
                    assert stream.read_bytes(number) == own.read_bytes(number)
                    assert stream.last_length == number
            assert (stream.pos(), stream.is_eof()) == (own.pos(), own.is_eof())


@examples(100)
@given(steps=st.lists(st.tuples(st.sampled_from("srpe"), st.integers(0, 700)), max_size=12))
def test_it_reads_as_a_file(steps: list[tuple[str, int]]) -> None:
    own = io.BytesIO(DATA)
    with open_source(DATA) as source:
        file = source.stream.unbuffered
        assert file.readable() and file.seekable()
        for what, number in steps:
            if what == "s":
                assert file.seek(number) == own.seek(number)
            elif what == "e":
                assert file.seek(-number % 600, io.SEEK_END) == own.seek(-number % 600, io.SEEK_END)
            elif what == "r":
                assert file.read(number) == own.read(number)
            else:
                buffers = bytearray(number), bytearray(number)
                assert file.readinto(buffers[0]) == own.readinto(buffers[1])
                assert buffers[0] == buffers[1]
            assert file.tell() == own.tell()
        file.seek(0)
        assert file.read() == DATA
