"""Worker processes for operators, so that a crash or a hang affects one operator only."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from typing import Callable, Iterator, Optional

from rows import OperatorRow, Row, from_json

#: The line after the rows of an operator, and after the start of the process.
END = "end"
#: Seconds for the start of a process: importing PyTorch and the packages.
START = 120.0


class Worker:
    """A process that reads operators and sizes as lines of JSON, and writes rows."""

    def __init__(self, command: list[str], limit: float):
        self._command = command
        #: The time limit of one operator, in seconds.
        self._limit = limit
        self._process: Optional[subprocess.Popen[str]] = None

    def run(self, name: str, size: str) -> Iterator[Row]:
        """Yields the rows of an operator. If the process ends, the last row has the reason."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for _ in self._lines(START):
                pass
        process = self._process
        assert process.stdin
        try:
            process.stdin.write(json.dumps([name, size]) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            pass
        for line in self._lines(self._limit):
            yield from_json(json.loads(line))
        if process.poll() is not None:
            is_late = process.returncode < 0 and self._is_late
            why = f"no result after {self._limit:.0f} s" if is_late else f"the process ended with exit code {process.returncode}"
            yield OperatorRow(name, size, why)

    def _lines(self, limit: float) -> Iterator[str]:
        """Yields the lines of JSON up to `END`. Kills the process after `limit` seconds."""
        process = self._process
        assert process and process.stdout
        self._is_late = False

        def kill() -> None:
            self._is_late = True
            process.kill()

        timer = threading.Timer(limit, kill)
        timer.start()
        try:
            for line in process.stdout:
                if line == f"{END}\n":
                    return
                if line.startswith('{"'):
                    yield line
        finally:
            timer.cancel()
        process.wait()

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()


def run_all(tasks: list[tuple[str, str]], worker: Callable[[], Worker], jobs: int, deadline: float) -> Iterator[Row]:
    """Yields the rows of all tasks, which `jobs` processes take in order.

    No task starts after `deadline`, a time of `time.monotonic`.
    """
    waiting = queue.SimpleQueue[tuple[str, str]]()
    for task in tasks:
        waiting.put(task)
    #: Rows, and None when a process has no more tasks.
    found = queue.SimpleQueue[Optional[Row]]()

    def take() -> None:
        process = worker()
        try:
            while time.monotonic() < deadline:
                for row in process.run(*waiting.get_nowait()):
                    found.put(row)
        except queue.Empty:
            pass
        finally:
            process.end()
            found.put(None)

    for _ in range(jobs):
        threading.Thread(target=take, daemon=True).start()
    running = jobs
    while running:
        row = found.get()
        if row is None:
            running -= 1
        else:
            yield row
