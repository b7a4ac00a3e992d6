"""Asks Triton for its verdict on random modules; needs a Python with `triton==3.9.0`, no GPU.

    verdicts.py --record              writes test/golden/referee.tsv for the seeds of the test
    verdicts.py FIRST COUNT > FILE    the same lines for other seeds; LL_REFEREE=FILE makes the test
                                      compare them instead
    verdicts.py --summary FIRST COUNT what was accepted and rejected, by operation and by change
    verdicts.py --ask FILE            the verdict on one module, with Triton's whole output

Modules come from `cargo run --example referee -- FIRST COUNT`. A line is the
seed, the hash of the module's text, the verdict, and for an accepted module the hash of its generic
form, for the others the beginning of the first message. The wheel has assertions on, so that a
module may end the process: the verdict is then `crash`.
"""
import collections
import ctypes as C
import os
import re
import subprocess
import sys
import tempfile

from generic import TEST, pointer_of

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
RECORDED = (0, 2000)
MESSAGE = 100  # characters of a message that are kept


def modules(first, count):
    """Seed, hash, operation, change and text of each generated module."""
    command = "cargo run -q --example referee --".split()
    text = subprocess.check_output(command + [str(first), str(count)], cwd=os.path.dirname(TEST))
    for part in text.decode().split("//// ")[1:]:
        head, text = part.split("\n", 1)
        yield *head.split(" "), text


class Referee:
    """Triton, in this process and without threads, so that the process can be forked."""

    def __init__(self):
        import triton._C.libtriton as triton

        self.triton = triton
        self.library = C.CDLL(triton.__file__)
        self.context = triton.ir.context()
        self.library._ZN4mlir11MLIRContext21disableMultithreadingEb(
            C.c_void_p(pointer_of(self.context)), C.c_bool(True)
        )
        triton.ir.load_dialects(self.context)
        triton.nvidia.load_dialects(self.context)
        triton.amd.load_dialects(self.context)

    def parse(self, path):
        """The module; Triton parses and verifies it, and raises where one of them fails."""
        return self.triton.ir.parse_mlir_module(path, self.context)

    def generic_form(self, module):
        flags = C.create_string_buffer(1024)
        library = self.library
        library._ZN4mlir15OpPrintingFlagsC1Ev(flags)
        library._ZN4mlir15OpPrintingFlags18printGenericOpFormEb(flags, C.c_bool(True))
        with tempfile.TemporaryFile() as file:
            stream = C.create_string_buffer(4096)
            library._ZN4llvm14raw_fd_ostreamC1EibbNS_11raw_ostream11OStreamKindE(
                stream, C.c_int(file.fileno()), C.c_bool(False), C.c_bool(True), C.c_int(0)
            )
            library._ZN4mlir9Operation5printERN4llvm11raw_ostreamERKNS_15OpPrintingFlagsE(
                C.c_void_p(C.c_void_p.from_address(pointer_of(module)).value), stream, flags
            )
            file.seek(0)
            return file.read().decode().rstrip("\n") + "\n"


def hash_of(text):
    """FNV-1a, as the test computes it."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def shortened(output):
    """The first message, without the place and on one line."""
    for line in output.splitlines():
        match = re.search(r"error: (.*)", line) or re.search(r"(?:Assertion `|ERROR: )(.*)", line)
        if match:
            return match.group(1).replace("\t", " ")[:MESSAGE].rstrip()
    return output.strip().replace("\t", " ").replace("\n", " ")[:MESSAGE].rstrip()


def answers(texts):
    """Verdict and detail of each text. A child answers until it dies, then the next one goes on."""
    referee = Referee()
    done, answers = 0, []
    with tempfile.TemporaryDirectory() as folder:
        path, errors = f"{folder}/module.mlir", f"{folder}/errors"
        while done < len(texts):
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                os.dup2(os.open(errors, os.O_CREAT | os.O_WRONLY | os.O_APPEND), 2)
                with os.fdopen(writer, "w") as pipe:
                    for text in texts[done:]:
                        os.truncate(errors, 0)
                        with open(path, "w") as file:
                            file.write(text)
                        try:
                            module = referee.parse(path)
                            answer = f"accept\t{hash_of(referee.generic_form(module))}"
                        except RuntimeError:
                            answer = f"reject\t{shortened(open(errors).read())}"
                        pipe.write(answer + "\n")
                        pipe.flush()
                os._exit(0)
            os.close(writer)
            with os.fdopen(reader) as pipe:
                got = pipe.read().splitlines()
            answers += got
            os.waitpid(child, 0)
            done += len(got)
            if done < len(texts):
                answers.append(f"crash\t{shortened(open(errors).read())}")
                done += 1
    return answers


def lines(first, count):
    made = list(modules(first, count))
    for (seed, hash, _, _, text), answer in zip(made, answers([m[-1] for m in made])):
        assert hash == hash_of(text), "the generator and this script hash alike"
        yield f"{seed}\t{hash}\t{answer}\n"


def summary(first, count):
    made = list(modules(first, count))
    by_op, by_change = (collections.defaultdict(collections.Counter) for _ in range(2))
    messages = collections.Counter()
    for (_, _, op, change, _), answer in zip(made, answers([m[-1] for m in made])):
        verdict, detail = answer.split("\t", 1)
        whole = "whole" if change == "-" else "broken"
        by_op[op][f"{whole} {verdict}"] += 1
        by_change[change][verdict] += 1
        if verdict != "accept":
            messages[f"{whole} {verdict}: " + re.sub(r"[0-9]+", "N", detail)[:80]] += 1
    for table in (by_op, by_change):
        for key, counts in sorted(table.items()):
            print(f"{key:36}", "  ".join(f"{k}: {n}" for k, n in sorted(counts.items())))
        print()
    for message, n in messages.most_common():
        print(f"{n:5}  {message}")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments == ["--record"]:
        with open(f"{TEST}/golden/referee.tsv", "w") as file:
            file.writelines(lines(*RECORDED))
    elif arguments[:1] == ["--summary"]:
        summary(*map(int, arguments[1:]))
    elif arguments[:1] == ["--ask"]:
        referee = Referee()
        print(referee.generic_form(referee.parse(arguments[1])))
        sys.stdout.flush()
    else:
        sys.stdout.writelines(lines(*map(int, arguments)))
    sys.stdout.flush()
    os._exit(0)  # the library's own shutdown is not clean after calls past its bindings
