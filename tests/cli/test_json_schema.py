"""`json-schema`: schemas are valid, complete, and printed for any answer."""

import json

import jsonschema
import pytest

from paimon_ksy.cli.json_schema import answers, json_schema
from tests.support.commands import Cli


@pytest.mark.parametrize("name", answers())
def test_each_is_a_schema(name: str, cli: Cli) -> None:
    schema = json_schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "schema_version 2" in schema["title"]
    code, out, _ = cli("json-schema", *name.split())
    assert (code, json.loads(out)) == (0, schema)


def test_a_name_that_is_wrong(cli: Cli) -> None:
    code, _, err = cli("json-schema", "tabel", "audit")
    assert code == 2 and "did you mean 'table audit'?" in err
