"""The catalogue's own modules, and signals as a terminal gives them.

    env/run pytest tests/faults --whole-catalogue

also tries faults that take long.
"""

import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # each process imports the modules that lie here

# A shell that runs this in the background makes it and its children deaf to some signals.
for number in (signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
