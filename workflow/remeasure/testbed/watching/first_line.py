"""The first line of a file of /proc/sys, for commands that hosts run.

Such a file ends after the first read, however short that was. dash reads a byte at a time, so its
`read` gets one character; bash, the login shell of most hosts, gets the line. awk reads all at once
whichever shell starts it.
"""

FIRST_LINE = """
function first_line(file,  line) {
  if ((getline line < file) <= 0) line = ""
  close(file)
  return line
}
"""
"""function of awk: the first line of a file; empty if there is none"""
