"""The findings of an audit: each once, with commands that name the table."""

from paimon_ksy.errors import AccessError, Call, OutsideError, PaimonKsyError, Remedy
from paimon_ksy.messages.findings import ERROR, REMEDY_ACCESS, WARNING, Finding
from paimon_ksy.table.audit.findings import FindingCollector


def test_each_finding_is_taken_once_and_names_the_table() -> None:
    collector = FindingCollector("/t")
    remedy = Remedy("run ", Call("table audit"))
    finding = Finding(ERROR, "index", "x", None, None, "broken", remedy)
    named = collector.add(finding)
    assert named.remedy == "run `paimon-ksy table audit /t`"
    assert collector.add(finding) == named
    assert collector.take() == [named]
    collector.add(finding)
    assert collector.take() == []


def test_a_problem_of_a_whole_file() -> None:
    collector = FindingCollector("/t")
    collector.add_problem("schema", "x", PaimonKsyError("cannot be read", path="x"), "restore it")
    collector.add_problem("hint", "y", "is behind", "wait", WARNING)
    collector.add_problem("schema", "z", AccessError("denied", path="z"), "restore it")
    first, second, third = collector.take()
    assert (first.severity, first.message, first.remedy) == (ERROR, "cannot be read", "restore it")
    assert (second.severity, second.message) == (WARNING, "is behind")
    assert third.remedy == REMEDY_ACCESS


def test_of_a_folder_outside_one_path_is_told() -> None:
    collector = FindingCollector("/t")
    for name in ("a", "b"):
        collector.add_outside(OutsideError.of(f"/other/{name}", "/other", None, ["/t"]))
    collector.add_outside(OutsideError.of("/third/c", "/third", None, ["/t"]))
    found = collector.take()
    assert [(one.check, one.file) for one in found] == [("path", "/other/a"), ("path", "/third/c")]
    assert collector.outside_folders == {"/other", "/third"}
