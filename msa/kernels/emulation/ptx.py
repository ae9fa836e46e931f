"""PTX as a list of statements, and the regions of it that an elected thread runs by itself."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_STATEMENT = re.compile(r"[{}]|[$\w]+:(?!:)|[^;]*;|.+")
_INSTRUCTION = re.compile(r"(?:@(!?[%$\w]+)\s+)?([a-z][\w.:]*)\s*(.*);")
_OPERAND = re.compile(r"(?:\{[^}]*\}|\[[^\]]*\]|[^,{\[])+")
_ELECTED = re.compile(r"[%\w]+\|(%\w+)")


class PtxError(Exception):
    """The PTX holds what cannot be emulated; names the instruction and its line."""


class Instruction(NamedTuple):
    """An instruction: `guard`, empty or a predicate with or without !, then opcode and operands."""

    guard: str
    opcode: str
    operands: tuple[str, ...]

    def __str__(self) -> str:
        guard = self.guard and f"@{self.guard} "
        return f"{guard}{self.opcode} {', '.join(self.operands)}".rstrip() + ";"


class Statement(NamedTuple):
    """A label, a brace, a directive or an instruction, and the number of braces that it is in."""

    line: int
    text: str
    depth: int

    @property
    def instruction(self) -> Instruction | None:
        """What it is as an instruction."""
        match = _INSTRUCTION.fullmatch(self.text)
        if match is None:
            return None
        operands = tuple(operand.strip() for operand in _OPERAND.findall(match[3]))
        return Instruction(match[1] or "", match[2], operands)


def parse(text: str) -> list[Statement]:
    """The statements of a PTX file; a directive over several lines is one for each."""
    statements = []
    depth = 0
    for line, rest in enumerate(text.rstrip("\0").splitlines(), 1):
        rest = rest.split("//")[0].strip()
        while rest:
            match = _STATEMENT.match(rest)
            statement = match[0].strip()
            depth -= statement == "}"
            statements.append(Statement(line, statement, depth))
            depth += statement == "{"
            rest = rest[match.end() :].strip()
    return statements


class Region(NamedTuple):
    """What the elected thread of a warp runs while the others wait, as indices of statements.

    The thread enters after `branch`, by which the others go to the label `join`; `members` are the
    statements that it can reach on its way there.
    """

    branch: int
    join: int
    members: frozenset[int]


def bodies(statements: list[Statement]) -> Iterator[range]:
    """The functions' bodies, from brace to brace."""
    begin = 0
    for i, statement in enumerate(statements):
        if statement.depth == 0 and statement.text == "{":
            begin = i
        elif statement.depth == 0 and statement.text == "}":
            yield range(begin, i + 1)


def elected_regions(statements: list[Statement], body: range) -> list[Region]:
    """The regions of a body whose first instruction is `elect.sync` and a branch around.

    Raises:
        PtxError: a region has another way in or out.
    """
    flow = _Flow(statements, body)
    regions = []
    for i in body:
        instruction = statements[i].instruction
        if instruction and instruction.opcode == "elect.sync":
            branch = _branch_around(statements, i)
            if branch is not None:
                regions.append(flow.region(branch))
    return regions


def _branch_around(statements: list[Statement], elect: int) -> int | None:
    """The branch that all threads but the one elected take, if it is in the same basic block."""
    elected = _ELECTED.fullmatch(statements[elect].instruction.operands[0])
    if elected is None:
        return None
    others = {f"!{elected[1]}"}
    for i in range(elect + 1, len(statements)):
        instruction = statements[i].instruction
        if instruction is None:
            return None
        if instruction.opcode.startswith("bra"):
            return i if instruction.guard in others else None
        if instruction.opcode == "not.pred" and instruction.operands[1] == elected[1]:
            others.add(instruction.operands[0])
    return None


class _Flow:
    """Where control goes from each statement of a body. What stands in inner braces is straight."""

    def __init__(self, statements: list[Statement], body: range):
        self._statements = statements
        labels = {
            statements[i].text[:-1]: i
            for i in body
            if statements[i].depth == 1 and statements[i].text.endswith(":")
        }
        self._next = {i: self._successors(i, labels) for i in body[:-1]}
        self._previous = {}
        for i, successors in self._next.items():
            for successor in successors:
                self._previous.setdefault(successor, []).append(i)

    def _successors(self, i: int, labels: dict[str, int]) -> list[int]:
        instruction = self._statements[i].instruction
        if instruction is None or self._statements[i].depth > 1:
            return [i + 1]
        successors = [i + 1] if instruction.guard else []
        if instruction.opcode in ("bra", "bra.uni"):
            return [labels[instruction.operands[0]], *successors]
        if instruction.opcode in ("ret", "exit", "trap") or instruction.opcode.startswith("brx"):
            return successors
        return [i + 1]

    def region(self, branch: int) -> Region:
        """The region that `branch` leads around."""
        join = self._next[branch][0]
        members = set()
        reached = [branch + 1]
        while reached:
            i = reached.pop()
            if i == join or i in members:
                continue
            members.add(i)
            reached += self._next[i]
            if not self._next[i]:
                self._refuse(branch, i, "has no way back to the warp")
        for i in members:
            if any(j not in members and j != branch for j in self._previous[i]):
                self._refuse(branch, i, "can be reached by threads that were not elected")
        return Region(branch, join, frozenset(members))

    def _refuse(self, branch: int, i: int, why: str) -> None:
        raise PtxError(
            f"line {self._statements[i].line}: '{self._statements[i].text}' {why}, but is in the "
            f"region of an elected thread that begins in line {self._statements[branch].line}"
        )
