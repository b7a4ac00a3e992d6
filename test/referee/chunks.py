"""Reads and lowers the chunks of a compiler's lit tests with `ll-opt`; needs nothing but Python.

    chunks.py FOLDER --ll-opt PATH [--only GLOB] [--json] [--fail-on REASON]

FOLDER is a checkout of Triton, its `test` folder, or any folder of `.mlir` files. Each file is split at
`// -----` (and at the `//--- NAME` of `split-file`), as its tests are. Each chunk is
- read: parsed, verified, printed, parsed again, and printed the same again;
- lowered: by `--convert-layouts-to-llvm`, for the targets that its file's RUN lines name, else for the module's
  `ttg.target`, else for `cuda:90` or `hip:gfx942`; only for targets whose warps have the module's size. A function that is no kernel because it takes or returns tensors or buffers is
  called from a kernel that the script adds.

Prints `read/lowered TAB FILE:LINE TAB target TAB reason TAB diagnostic` for each chunk, and how many there are of each
reason. A reason is what the chunk has that does not lower, from its operations: `product`, `copy`, `cluster`, ...;
`invalid` where the test expects an error; `syntax` where the parser does not know the text, as that of another
version; `other` where none of these explains it. A tool that ends by a signal is
`crash`, one that takes longer than `--seconds` is `timeout`.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import re
import subprocess
import sys

# What a chunk needs that a reason is named after: the first that matches is the chunk's reason.
NEEDS = (
    ("warp specialisation", r"\bttg\.warp_(?:specialize|return|yield)|\bnvws\.|ttg\.partition\b|tt\.warp_specialize"),
    ("tensor memory", r"\bttng\.(?:tmem_|tc_gen5)|tensor_memory|nvg?gpu\.(?:tensor_memory|ld_?tmem)|ttng\.\w*tmem"),
    ("TMA", r"\bttng\.(?:async_tma|tensormap|reinterpret_tensor_desc|fence_async_shared)|!tt\.tensordesc|"
            r"\bamdg\.(?:async_tdm|make_tdm|update_tensor_desc)\w*|\btt\.\w*(?:descriptor|experimental_descriptor)\w*"),
    ("product", r"\btt\.dot\w*|\bttng\.warp_group_dot\w*|\bnvg?gpu\.wgmma\w*|\bamdg\.scaled_\w*dot\w*"),
    ("copy", r"\bttg\.async_\w+|\bamdg\.async_\w+|ttng\.async_copy\w*|"
             r"amdg\.\w*(?:to_local|from_local)\w*"),
    ("cluster", r"\"?ttg\.num-ctas\"? *= *(?:[2-9]|1\d)|\bttng\.(?:cluster|map_to_remote|clc)\w*|\bnvg?gpu\.cluster\w*|"
                r"\bamdg\.cluster\w*|nvvm\.cluster|cta_?broadcast|\bblock *= *\[\["),
    ("mbarrier", r"\bttng\.(?:\w*barrier\w*|arrive\w*|wait_\w*)|\bamdg\.\w*(?:barrier|mbarrier)\w*|nvg?gpu\.\w*mbar\w*"),
    ("instrumentation", r"\btti\.|\bproton\w*\.|\bproton_gpu\."),
    ("NVGPU dialect", r"\bnvg?gpu\.|\bnvg\."),
)
# Reasons that follow from the diagnostic.
SAID = (
    ("unregistered dialect", r"[Dd]ialect `\w+' not found|unregistered|dialect `\w+` is not supported; supported are"),
    ("layouts", r"has no encoding|no layout|without an? (?:encoding|layout)|tensors with an encoding"),
    ("syntax", r"^(?:custom op '[\w.]+' )?expected (?:'|string$|non-function type)|^unexpected key"),
)
REASONS = [name for name, _ in NEEDS + SAID] + ["invalid", "crash", "timeout", "other"]


def chunks_of(path):
    """First line and text of each chunk of a file."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        lines = file.read().split("\n")
    first, kept = 1, []
    for number, line in enumerate(lines + ["// -----"], 1):
        if re.match(r"\s*//(?: ?-----|--- )", line):
            if any(re.match(r"\s*[^/\s]", kept_line) for kept_line in kept):
                yield first, "\n".join(kept) + "\n"
            first, kept = number + 1, []
        else:
            kept.append(line)


def run_lines(path):
    """Targets that a file's RUN lines name, and whether they allow dialects that are not registered."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = "\n".join(line for line in file if "RUN" in line)
    found = [f"hip:{arch}" for arch in re.findall(r"\barch(?:-generation-name)?=\"?(gfx\w+)", text)]
    found += [f"cuda:{number}" for number in re.findall(r"compute-capability=\"?(\d+)", text)]
    found += re.findall(r"target=\"?((?:cuda|hip):\w+)", text)
    return list(dict.fromkeys(found)), "allow-unregistered-dialect" in text


def warp_size(target):
    """Threads per warp of a target."""
    return 64 if target.startswith("hip:gfx9") else 32


def targets_of(code, named):
    """The targets that a chunk is lowered for: those that are named and have its size of warps, or one that has."""
    size = re.search(r'threads-per-warp"? *= *(\d+)', code)
    size = int(size[1]) if size else 32
    own = re.search(r'ttg\.target"? *= *"([\w:]+)"', code)
    for some in (named, [own[1]] if own else []):
        fitting = [target for target in some if warp_size(target) == size]
        if fitting:
            return fitting
    return ["hip:gfx942" if size == 64 else "cuda:90"]


def without_comments(text):
    return re.sub(r"//.*", "", text)


class Tool:
    """`ll-opt`, with a limit on its time."""

    def __init__(self, path, seconds):
        self.path, self.seconds = path, seconds

    def run(self, text, *options):
        """Output and errors; the verdict is `ok`, `error`, `crash` or `timeout`."""
        command = [self.path, *options, "-"]
        data = text.encode(errors="surrogateescape")
        try:
            done = subprocess.run(command, input=data, capture_output=True, timeout=self.seconds, check=False)
        except subprocess.TimeoutExpired:
            return "timeout", "", f"took more than {self.seconds} seconds"
        out, err = (part.decode(errors="surrogateescape") for part in (done.stdout, done.stderr))
        if done.returncode < 0:
            return "crash", out, f"ended by signal {-done.returncode}: {(err.strip() or '-').splitlines()[-1]}"
        if re.search(r"internal error|panicked at", err):
            return "crash", out, err
        return ("ok" if done.returncode == 0 else "error"), out, err


def diagnostic(err):
    """The first error of a tool: its line in the chunk, and its text."""
    found = re.search(r"(?:^|\n)(?:<stdin>|-|[^\n:]*):(\d+):\d+: error: ([^\n]*)", err)
    if found:
        return int(found[1]), found[2]
    found = re.search(r"error: ([^\n]*)", err)
    return 0, found[1] if found else (err.strip() or "no message").splitlines()[0]


# ---- functions that are no kernels

def closing(text, start):
    """Index of the bracket that closes the one at `start`."""
    depth, at = 0, start
    while at < len(text):
        if text[at] == '"':
            at = text.index('"', at + 1)
        elif text.startswith("->", at):
            at += 1
        elif text[at] in "([{<":
            depth += 1
        elif text[at] in ")]}>":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    raise ValueError("a bracket is not closed")


def parts(text):
    """Pieces between commas outside brackets."""
    pieces, last, at = [], 0, 0
    while at < len(text):
        if text[at] in '([{<"':
            at = text.index('"', at + 1) if text[at] == '"' else closing(text, at)
        elif text[at] == ",":
            pieces.append(text[last:at])
            last = at + 1
        at += 1
    pieces.append(text[last:])
    return [piece.strip() for piece in pieces if piece.strip()]


def type_alone(text):
    """A type without the attributes and the location behind it."""
    for at, letter in enumerate(text):
        if letter == " " and re.match(r" (?:\{|loc\()", text[at:]) and balanced(text[:at]):
            return text[:at]
    return text


def balanced(text):
    counted = re.sub(r"->", "", text)
    return all(counted.count(a) == counted.count(b) for a, b in ("<>", "()", "[]", "{}"))


def functions(text):
    """Place of its visibility, name, types of arguments and results of each function with a body."""
    for match in re.finditer(r"^( *)tt\.func ((?:public|private|nested) )?@(\"[^\"]*\"|[\w$.-]+)\(", text, re.M):
        start = match.end() - 1
        stop = closing(text, start)
        arguments = [type_alone(piece.split(":", 1)[1].strip()) for piece in parts(text[start + 1:stop]) if ":" in piece]
        results, rest = [], text[stop + 1:].split("\n", 1)[0]
        if rest.startswith(" -> ("):
            end = closing(rest, 4)
            results = [type_alone(piece) for piece in parts(rest[5:end])]
        elif rest.startswith(" -> "):
            results = [type_alone(rest[4:].split(" attributes ")[0].rsplit(" {", 1)[0].strip())]
        if not re.search(r"\{\s*(?:loc\(.*)?$", rest):
            continue  # a declaration
        yield match, match[3], arguments, results


def is_scalar(kind):
    return re.fullmatch(r"(?:[su]?i\d+|index|f\d+\w*|bf16|!tt\.ptr<[^<>]*(?:<[^<>]*>)?[^<>]*>)", kind) is not None


def with_callers(text):
    """The module with a kernel that calls each function that cannot be a kernel itself, or nothing."""
    found = [one for one in functions(text) if one[3] or not all(map(is_scalar, one[2]))]
    if not found or len(re.findall(r"^module\b", text, re.M)) > 1:
        return None
    called = set(re.findall(r"\btt\.call @(\"[^\"]*\"|[\w$.-]+)\(", text))
    callers = []
    for number, (_, name, arguments, results) in enumerate(found):
        if name in called:
            continue
        scalars = [f"%s{at}: {kind}" for at, kind in enumerate(arguments) if is_scalar(kind)]
        body, names = [], []
        for at, kind in enumerate(arguments):
            if is_scalar(kind):
                names.append(f"%s{at}")
                continue
            names.append(f"%v{at}")
            buffer = kind.startswith("!ttg.memdesc<") and kind.endswith(", mutable>")
            body.append(f"    %v{at} = " + (f"ttg.local_alloc : () -> {kind}" if buffer else f"ub.poison : {kind}"))
        head = f"%r:{len(results)} = " if len(results) > 1 else "%r = " if results else ""
        kinds = f"({', '.join(arguments)}) -> ({', '.join(results)})"
        callers.append(
            f"  tt.func public @caller_of_chunk_{number}({', '.join(scalars)}) {{\n" + "".join(f"{line}\n" for line in body)
            + f"    {head}tt.call @{name}({', '.join(names)}) : {kinds}\n    tt.return\n  }}\n"
        )
    for match, *_ in reversed(found):
        text = text[:match.start()] + f"{match[1]}tt.func private @{match[3]}(" + text[match.end():]
    # Before the module's closing bracket, which is the last line that begins with one.
    end = text.rfind("\n}")
    return text[:end + 1] + "".join(callers) + text[end + 1:]


# ---- one chunk

def reason_of(text, verdict, message, expects_error):
    if verdict in ("crash", "timeout"):
        return verdict
    if expects_error:
        return "invalid"
    found = (name for table, where in ((NEEDS, text), (SAID, message)) for name, pattern in table if re.search(pattern, where))
    return next(found, "other")


def examine(tool, name, first, text, named, unregistered):
    """What became of one chunk."""
    options = ["--allow-unregistered-dialect"] if unregistered else []
    answer = {"file": name, "line": first, "read": False, "lowered": False, "target": "", "reason": "", "diagnostic": ""}
    expects_error = bool(re.search(r"expected-error", text))
    code = without_comments(text)

    def failed(verdict, line, message, target=""):
        answer["reason"] = reason_of(code, verdict, message, expects_error)
        answer["diagnostic"] = message
        answer["target"] = target
        answer["at"] = first + line - 1 if line else first
        return answer

    verdict, out, err = tool.run(text, *options)
    if verdict != "ok":
        return failed(verdict, *diagnostic(err))
    again, out_again, err = tool.run(out, *options)
    if again != "ok":
        return failed(again, 0, "does not read what it printed: " + diagnostic(err)[1])
    if out != out_again:
        return failed("error", 0, "prints differently the second time")
    answer["read"] = True

    targets = targets_of(code, named)
    for target in targets:
        lowering = f"--convert-layouts-to-llvm=target={target}"
        verdict, _, err = tool.run(text, *options, lowering)
        if verdict == "error":
            # The functions that take tensors are called, and everything is lowered once more.
            _, located, _ = tool.run(text, *options, "--mlir-print-debuginfo")
            try:
                called = with_callers(located)
            except ValueError:
                called = None
            if called:
                verdict, _, err = tool.run(called, *options, lowering)
        if verdict != "ok":
            return failed(verdict, *diagnostic(err), target)
    answer["lowered"] = True
    answer["target"] = ",".join(targets)
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--ll-opt", default="ll-opt", help="the tool (default: `ll-opt` on the path)")
    parser.add_argument("--only", default="*", help="files whose path below FOLDER matches, as `test/Conversion/*`")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each chunk")
    parser.add_argument("--fail-on", action="append", default=[], metavar="REASON", choices=REASONS,
                        help="exit with 1 if a chunk fails for this reason; may be repeated")
    parser.add_argument("--seconds", type=int, default=20, help="limit for each run of the tool (default: 20)")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (default: 2)")
    given = parser.parse_args()
    tool = Tool(given.ll_opt, given.seconds)
    work = []
    for folder, folders, files in os.walk(given.folder):
        folders.sort()
        for file in sorted(files):
            path = os.path.join(folder, file)
            name = os.path.relpath(path, given.folder)
            if file.endswith(".mlir") and fnmatch.fnmatch(name, given.only):
                work += [(tool, name, first, text, *run_lines(path)) for first, text in chunks_of(path)]
    if not work:
        sys.exit(f"chunks.py: no `.mlir` file below {given.folder} matches `{given.only}`")
    answers = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for answer in pool.map(lambda one: examine(*one), work):
            answers.append(answer)
            if given.json:
                print(json.dumps(answer), flush=True)
                continue
            what = "lowered" if answer["lowered"] else "read" if answer["read"] else "unread"
            place = f"{answer['file']}:{answer.get('at', answer['line'])}"
            print("\t".join((what, place, answer["target"], answer["reason"], answer["diagnostic"])), flush=True)
    read, lowered = (sum(answer[what] for answer in answers) for what in ("read", "lowered"))
    summary = sys.stderr if given.json else sys.stdout
    print(f"{len(answers)} chunks, {read} read, {lowered} lowered", file=summary)
    for stage, of in (("not read", lambda a: not a["read"]), ("read, not lowered", lambda a: a["read"] and not a["lowered"])):
        counts = collections.Counter(answer["reason"] for answer in answers if of(answer))
        for reason, count in counts.most_common():
            print(f"  {stage}: {reason}: {count}", file=summary)
    sys.exit(any(answer["reason"] in given.fail_on for answer in answers))


if __name__ == "__main__":
    main()
