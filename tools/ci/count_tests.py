"""Counts the test cases of a `bazel test`: prints `N passed, N failed, N skipped`.

Run as `count_tests.py EVENTS`, the file that `--build_event_json_file` wrote. It names the JUnit
report of every test of that command, cached results included. Fails if there is none.
"""

import json
import pathlib
import sys
import urllib.parse
from xml.etree import ElementTree


def reports(events: pathlib.Path) -> list[pathlib.Path]:
    """Paths of the JUnit reports that the build events name."""
    found = []
    for line in events.read_text().splitlines():
        for output in json.loads(line).get("testResult", {}).get("testActionOutput", []):
            if output["name"] == "test.xml":
                found.append(
                    pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path))
                )
    return found


def outcome(case: ElementTree.Element) -> str:
    """The outcome of one `testcase` element."""
    children = {child.tag for child in case}
    if children & {"failure", "error"}:
        return "failed"
    return "skipped" if "skipped" in children else "passed"


def main(events: str) -> None:
    """Prints the counts of the reports that `events` names."""
    outcomes = [
        outcome(case)
        for report in reports(pathlib.Path(events))
        for case in ElementTree.parse(report).iter("testcase")
    ]
    if not outcomes:
        raise SystemExit(f"{events}: no test report")
    print(", ".join(f"{outcomes.count(kind)} {kind}" for kind in ("passed", "failed", "skipped")))


if __name__ == "__main__":
    main(*sys.argv[1:])
