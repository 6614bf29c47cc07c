"""Runs a command on a terminal of its own, and types the answers when their questions are shown.

on-terminal.py '[["question", "answer"], …]' command args…: what is shown goes to the output, the exit code is that of the command.
"""

import json
import os
import pty
import sys

answers = json.loads(sys.argv[1])
shown = b""


def read(terminal):
    global shown
    part = os.read(terminal, 65536)
    shown += part
    if answers and answers[0][0].encode() in shown:
        shown = b""
        os.write(terminal, answers.pop(0)[1].encode() + b"\r")
    return part


sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[2:], read, lambda _: b"")))
