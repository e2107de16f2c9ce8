"""What runs on a host: every process that is neither a thread of its kernel nor of the session that
asks.

Between the runs of probes a host runs what it ran when its session began, and the servers that the
trial has started. Anything else takes processor time, or sends packets, of which no probe knows. A
server that is another process after a run than before it was started again meanwhile, so that what
was counted during the run belongs to two.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

# The fields of /proc/<pid>/stat after the name, which may hold anything (proc_pid_stat(5)): session
# is the fourth, flags the seventh (0x200000: a thread of the kernel), times the twelfth and
# thirteenth, start the twentieth.
TELL_PROGRAMS = r"""
function session_of(line,  fields) {
  sub(/.*\) /, "", line); split(line, fields, " "); return fields[4]
}
function program_in(file,  line, name) {
  if ((line = first_line(file)) == "") return ""
  if (own_session == "") own_session = session_of(first_line("/proc/self/stat"))
  name = line; sub(/^[0-9]+ \(/, "", name); sub(/\) [^)]*$/, "", name)
  sub(/.*\) /, "", line); split(line, stat_fields, " ")
  if (stat_fields[4] == own_session || stat_fields[1] == "Z") return ""
  return int(stat_fields[7] / 2097152) % 2 ? "" : name
}
"""
"""functions of awk: the name of the program in a file /proc/PID/stat; empty if it does not
count here. The fields after the name are then in stat_fields"""
PROCESSES = '-v processes="$(echo /proc/[0-9]*)"'
"""option of awk, within a line for sh: the variable `processes` has the folders of all"""
EACH_PROGRAM = """
count = split(processes, folders, " ")
for (i = 1; i <= count; i++) if ((name = program_in(folders[i] "/stat")) != "") """
"""beginning of a statement of awk that is run for each program"""
LIST_PROGRAMS = EACH_PROGRAM + (
    "print substr(folders[i], 7), stat_fields[20], stat_fields[12], stat_fields[13], name"
)
"""statement of awk that prints a line for each program: PID, start, user and system time [ticks],
name"""


class Program(NamedTuple):
    """One process of a host."""

    pid: int
    start: int
    """when it started, since the host did [ticks]"""
    ticks: int
    """processor time that it has used, as the host counts it [ticks]"""
    name: str


def read_programs(text: str) -> list[Program]:
    """The lines that LIST_PROGRAMS prints. Raises ValueError if one is malformed."""
    found = []
    for line in text.splitlines():
        pid, start, user, system, name = line.split(" ", 4)
        found.append(Program(int(pid), int(start), int(user) + int(system), name))
    return found


def strangers(programs: Iterable[Program], known: Collection[str]) -> dict[str, int]:
    """Programs that are not `known`: name -> processor time that they have used [ticks]."""
    found: dict[str, int] = {}
    for program in programs:
        if program.name not in known:
            found[program.name] = found.get(program.name, 0) + program.ticks
    return found


def replaced(
    before: Iterable[Program], after: Iterable[Program], servers: Collection[str]
) -> list[str]:
    """The `servers` whose first process was there before, and is not there any more."""
    there = {(program.pid, program.start) for program in after}
    first: dict[str, Program] = {}
    for program in sorted(before, key=lambda program: (program.start, program.pid)):
        if program.name in servers:
            first.setdefault(program.name, program)
    return [name for name, program in first.items() if program[:2] not in there]
