#!/usr/bin/env python3
"""Runs the commands of the documentation and checks the names in it.

    tools/docs/check.py run FILE...      runs every command of the `console` blocks and compares its output
    tools/docs/check.py names            checks paths, tests, verbs and snippets in all Markdown files
LL_BLESS=1 writes the outputs into the files instead.

A command starts with `$ ` and continues on the next line after a backslash; the lines below it are its output and errors.
In the output, a line `...` matches any lines, and `...` within a line matches any text. The commands of a file run in
order in a scratch folder, which has links to `crates`, `python`, `test` and `tools`, and the tools in `target/release`.
A command, or the last command of a pipeline, fails if its exit status is not 0.

Blocks of `console` need the tools on the path, the LLVM prefix in LL_LLVM_PREFIX and the plugin in LL_PLUGIN;
`test/Tools/documents.test` runs them. Blocks of `console python` need the Python package; `python/tests/test_examples.py` runs them.
"""

import os
import re
import subprocess
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def documents():
    """Returns all Markdown files of the repository, except those below build folders."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.split() if listed.returncode == 0 else [str(p.relative_to(ROOT)) for p in ROOT.rglob("*.md")]
    return [ROOT / name for name in names if not name.startswith("target/")]


def commands(block):
    """Returns pairs of a command and its expected output."""
    found = []
    is_open = False
    for line in block.splitlines():
        if is_open:
            found[-1][0] += "\n" + line
        elif line.startswith("$ "):
            found.append([line[2:], ""])
        elif found:
            found[-1][1] += line + "\n"
        else:
            raise ValueError(f"a `console` block starts with `$ `, found {line!r}")
        is_open = found[-1][1] == "" and line.endswith("\\")
    return found


def matches(expected, output):
    """Returns true if the output is as expected; `...` is a wildcard."""
    lines = ["(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n" for line in expected.splitlines()]
    return re.fullmatch("".join(lines), output) is not None


def scratch_folder(path):
    """Fills a folder with links to the files and folders that the commands use."""
    for name in ["crates", "python", "test", "tools"]:
        (path / name).symlink_to(ROOT / name)
    release, programs = path / "target" / "release", path / "target" / "programs"
    release.mkdir(parents=True)
    programs.mkdir()
    if plugin := os.environ.get("LL_PLUGIN"):
        (release / "liblinear_layout_mlir.so").symlink_to(plugin)
    if prefix := os.environ.get("LL_LLVM_PREFIX"):
        (programs / "mlir-opt-22").symlink_to(Path(prefix) / "bin" / "mlir-opt")
    return programs


def run(path, words="console", environment=None):
    """Runs the commands of a file; returns the number of commands and a list of failures."""
    text = path.read_text()
    count, failures = 0, []
    with tempfile.TemporaryDirectory() as folder:
        programs = scratch_folder(Path(folder))
        known = {**os.environ, **(environment or {}), "NO_COLOR": "1", "COLUMNS": "120"}
        known["PATH"] = os.pathsep.join([str(programs), known["PATH"]])

        def run_block(match):
            nonlocal count
            if match[1] != words:
                return match[0]
            written = ""
            for command, expected in commands(match[2]):
                count += 1
                done = subprocess.run(
                    ["bash", "-c", command],
                    cwd=folder, env=known, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                )
                is_expected = matches(expected, done.stdout)
                if done.returncode != 0:
                    failures.append(f"{path.name}: `{command}`: exit status {done.returncode}\n{done.stdout}")
                elif not is_expected:
                    failures.append(f"{path.name}: `{command}`\nexpected:\n{expected}\nfound:\n{done.stdout}")
                written += f"$ {command}\n{expected if is_expected else done.stdout}"
            return f"```{match[1]}\n{written}```"

        blessed = FENCE.sub(run_block, text)
    if "LL_BLESS" in os.environ:
        path.write_text(blessed)
        failures = [failure for failure in failures if "exit status" in failure]
    return count, failures


def sources():
    """Returns the files of the repository, the names of Rust's functions and modules, and all words of the code."""
    files, functions, words = [], set(), set()
    for folder in ["src", "crates", "dialect", "passes", "python", "test", "tools"]:
        for file in (ROOT / folder).rglob("*"):
            if not file.is_file() or file.suffix == ".so":
                continue
            files.append("/" + str(file.relative_to(ROOT)))
            if file.suffix not in [".rs", ".py", ".td", ".cpp", ".h"]:
                continue
            text = file.read_text()
            words |= set(re.findall(r"\w+", text))
            if file.suffix == ".rs":
                functions |= {file.stem, file.parent.name, *re.findall(r"\b(?:fn|mod) (\w+)", text)}
    return files, functions, words


def names():
    """Checks paths, tests, verbs and snippets; returns a list of failures."""
    failures = []
    tops = {path.name for path in ROOT.iterdir()} - {"target", ".git"}
    verbs = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    files, known, words_of_code = sources()
    examples = [p for f in ["tools/examples", "python/examples"] for p in (ROOT / f).rglob("*") if p.is_file()]
    lines = {line.split("//")[0].split(" #")[0].strip() for p in examples for line in p.read_text().splitlines()}
    for document in documents():
        text = document.read_text()
        name = document.relative_to(ROOT)

        def fail(message):
            failures.append(f"{name}: {message}")

        prose = FENCE.sub("", text)
        is_own = name == Path("ARCHITECTURE.md") or "adr" in name.parts
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", re.sub(r"`[^`\n]*`", "", prose)):
            if not link.startswith("crate") and not (document.parent / link).exists():
                fail(f"no file `{link}`")
        for word in re.findall(r"`([^`\n]+)`", prose):
            is_placeholder = re.search(r"NAME|NNNN|verb.object|VerbObject|name_c1|HASH", word)
            if is_placeholder:
                continue
            if re.fullmatch(r"[\w.*-]+(/[\w.*-]+)+/?", word) and word.split("/")[0] in tops:
                if not list(ROOT.glob(word.rstrip("/"))):
                    fail(f"no file `{word}`")
            elif re.fullmatch(r"[\w*-]+(/[\w*-]+)+\.(rs|py|mlir|test|td|h|cpp|ttgir)", word):
                if not any(fnmatch(file, "*/" + word) for file in files):
                    fail(f"no file that ends with `{word}`")
            elif match := re.fullmatch(r"(?:\w+::)*([A-Z][a-z]+[A-Z]\w*)(?:::\w+)?", word):
                if match[1] not in words_of_code:
                    fail(f"no type `{word}`")
            elif is_own and re.fullmatch(r"\w+(::\w+)+|[a-z]+(_[a-z0-9]+){3,}", word):
                parts = word.split("::")[1:] if "::" in word else [word]
                unknown = [part for part in parts if part not in known and not (part in words_of_code and "adr" in name.parts)]
                if unknown:
                    fail(f"no function or module `{unknown[-1]}`, in `{word}`")
            elif match := re.match(r"make ([a-z-]+)", word):
                if match[1] not in verbs:
                    fail(f"no verb `{word}`")
        for words, block in FENCE.findall(text):
            for line in block.splitlines():
                line = line.split("//")[0].split(" #")[0].strip()
                if words in ["cmake", "cpp", "py"] and line and line not in lines:
                    fail(f"not a line of an example: `{line}`")
                match = re.match(r"make ([a-z-]+)|((?:tools|python|test)/[\w./-]+)", line) if words == "sh" else None
                if match and match[1] and match[1] not in verbs:
                    fail(f"no verb `{line}`")
                if match and match[2] and not (ROOT / match[2]).exists():
                    fail(f"no file `{match[2]}`")
    return failures


def main(arguments):
    if arguments[:1] == ["names"]:
        failures = names()
    elif arguments[:1] == ["run"] and arguments[1:]:
        results = [run(Path(name)) for name in arguments[1:]]
        failures = [failure for _, found in results for failure in found]
        print(f"{sum(count for count, _ in results)} commands", file=sys.stderr)
    else:
        sys.exit(__doc__)
    print("\n".join(failures), file=sys.stderr)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
