"""The members of each type as C++ and Rust code, because these languages lack reflection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tools.languages.specs import camel, parameters, raw_specs, read_types


def cpp_types() -> str:
    """Return types.h for dump.cpp: the readers, `members` of each type, and `types` by name."""
    lines = [f'#include "{name}.cpp"' for name in raw_specs()]
    for name, raw in _all_types():
        fields = {field["id"]: field for field in _fields(raw)} | raw.get("instances", {})
        lines.append(f"void members(Tree& tree, {_cpp(name)}& parsed) {{")
        for field, described in fields.items():
            absent = f"if (parsed._is_null_{field}()) tree.absent(); else "
            write = f"{absent if 'if' in described else ''}tree.write(parsed.{field}());"
            lines.append(f'tree.member("{field}", [&] {{ {write} }});')
        lines.append("}")
    read = "void (*)(Tree&, kaitai::kstream*, const Arguments&)"
    lines.append(f"const std::map<std::string, {read}> types = {{")
    for name in read_types():
        given = "".join(f"given.at({i}), " for i in range(len(parameters(name))))
        lines.append(f'{{"{name}", [](Tree& tree, kaitai::kstream* in, const Arguments& given) {{')
        lines.append(f"{_cpp(name)} parsed({given}in); tree.write(&parsed); }}}},")
    return "\n".join([*lines, "};", ""])


def rust_types() -> str:
    """Return types.rs for dump.rs: the readers, `Tree` of each type, and `read` by name."""
    lines = [f"mod {name};\nuse {name}::*;" for name in raw_specs()]
    for name, raw in _all_types():
        for enum in raw.get("enums", {}):
            lines.append(f"impl Tree for {_rust(f'{name}::{enum}')} {{")
            lines.append("fn tree(&self, out: &mut String) { i64::from(self).tree(out) } }")
        lines.append(f"impl Tree for {_rust(name)} {{ fn tree(&self, out: &mut String) {{")
        lines.append("out.push('{');")
        ids = [field["id"] for field in _fields(raw)]
        lines += [f'field(out, "{name}", self.{name}());' for name in ids]
        instances = raw.get("instances", {})
        lines += [f'instance(out, "{name}", || self.{name}());' for name in instances]
        lines.append("out.push('}'); } }")
    lines.append("fn read(name: &str, given: &[i64], stream: &BytesReader) -> KResult<String> {")
    lines.append("let mut out = String::new(); match name {")
    for name in read_types():
        spec = _rust(name.partition("::")[0])
        given = ", ".join(f"given[{i}].try_into().unwrap()" for i in range(len(parameters(name))))
        init = f"|parsed| {{ {f'parsed.set_params({given}); ' if given else ''}Ok(()) }}"
        # A type in a spec has an object of the spec as its root, which nothing here reads.
        root = "Some(SharedType::new(root.get()))" if "::" in name else "None"
        lines.append(f'"{name}" => {{ let root = OptRc::from({spec}::default());')
        lines.append(f"{spec}::read_into_with_init::<_, {_rust(name)}>(")
        lines.append(f"stream, {root}, None, &{init})?.tree(&mut out); }}")
    return "\n".join([*lines, "_ => panic!(),", "}", "Ok(out)", "}", ""])


def _all_types() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the YAML of each type with its name, such as `binary_row::serialized_row`."""
    todo = list(raw_specs().items())
    for name, raw in todo:
        yield name, raw
        todo += [(f"{name}::{nested}", body) for nested, body in raw.get("types", {}).items()]


def _fields(raw: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*raw.get("params", ()), *raw.get("seq", ())]


def _cpp(name: str) -> str:
    return "::".join(f"{part}_t" for part in name.split("::"))


def _rust(name: str) -> str:
    return "_".join(map(camel, name.split("::")))
