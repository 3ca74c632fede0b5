"""Runs a wrong input and judges the answer.

A case is a command with what a good answer to it is: the exit code, what the words must hold
(place, found, expected, remedy: one regular expression each), and what becomes of files. Files
that were there are the same afterwards, byte for byte, with their kind, mode and target, unless
the case names them in `changes`; new ones are named in `makes`. So a temporary file that stays, a
file cut short and a device that becomes a file are found in every case.
"""

import dataclasses
import fcntl
import fnmatch
import hashlib
import os
import pathlib
import pty
import re
import shlex
import shutil
import signal
import stat
import struct
import subprocess
import tempfile
import termios
import threading
import time

# What no answer may hold: the words of a crash, of a defect of ours, of libraries. A sanitizer's
# words are here too, for the builds that have one.
CRASH = re.compile(r"terminate called|LLVM ERROR|Stack dump|Aborted|Segmentation fault|"
                   r"AddressSanitizer|ThreadSanitizer|LeakSanitizer|runtime error:|Assertion .* failed|"
                   r"PLEASE submit a bug|please report it|killed by SIG(?:ABRT|SEGV|BUS|FPE|ILL|XFSZ)")
CRASH_SIGNALS = {signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL,
                 signal.SIGXFSZ, signal.SIGSYS, signal.SIGTRAP}
TIMEOUT = 30
# Runs a command as an ordinary user.
ORDINARY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
# Address space: what reads without end ends early, and the machine stays usable. (Sanitizers
# need terabytes.)
MEMORY = 8 << 30


@dataclasses.dataclass
class Case:
    name: str
    run: str  # bash, in a folder of its own that holds the samples (make_samples)
    code: int
    says: tuple = ()
    never: tuple = ()
    setup: str = ""
    changes: tuple = ()  # patterns of files that may change or go
    makes: tuple = ()  # patterns of files that may appear
    needs: tuple = ()  # names of features: see FEATURES
    columns: int = 0  # with a terminal of this width as stdout and stderr
    atmost: float = TIMEOUT  # seconds
    slow: bool = False  # not in the short run
    check: object = None  # further check: Answer -> a complaint, or None


@dataclasses.dataclass
class Answer:
    code: int
    text: str
    seconds: float
    folder: pathlib.Path


def state_of(folder):
    """path -> what it is, for everything in a folder."""
    states = {}
    for parent, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(parent, name)
            info = os.lstat(path)
            mode = info.st_mode
            what = ""
            if stat.S_ISLNK(mode):
                what = os.readlink(path)
            elif stat.S_ISREG(mode):
                try:
                    with open(path, "rb") as file:
                        what = (hashlib.file_digest(file, "sha256").hexdigest()
                                if info.st_size < 1 << 30 else f"{info.st_size} bytes, sparse")
                except OSError as error:
                    what = str(error)
            elif stat.S_ISCHR(mode):
                what = str(info.st_rdev)
            states[os.path.relpath(path, folder)] = (stat.filemode(mode), what)
    return states


def changes_between(before, after, case):
    """Complaints about files."""
    complaints = []
    allowed = lambda name, patterns: any(
        fnmatch.fnmatch(name, p) or fnmatch.fnmatch(name, p + "/*") for p in patterns)
    for name, state in before.items():
        if after.get(name) != state and not allowed(name, case.changes):
            complaints.append(f"{name} was {state[0]} {state[1][:8]}, "
                              f"is {' '.join(after.get(name, ('gone',)))[:19]}")
    for name in after.keys() - before.keys():
        if not allowed(name, case.makes):
            complaints.append(f"{name} was left")
    return complaints


def environment(build, folder):
    env = {"PATH": f"{build}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
           "HOME": str(folder), "LC_ALL": "C.UTF-8", "TERM": "xterm",
           "TMPDIR": str(folder / "tmp"), "PYTHONUTF8": "1",
           "FAIL_CALLS": f"{build}/test/e2e/fail-calls.so"}
    for name in ("BOOSTC_DEFECT", "BOOSTC_FAKE", "LSAN_OPTIONS", "ASAN_OPTIONS", "UBSAN_OPTIONS"):
        if name in os.environ:
            env[name] = os.environ[name]
    return env


def end_of(process, seconds):
    """Its exit code, or None where it has not ended by then; what it has started ends with it. The
    group is killed before the process is reaped: until then no other can have its number."""
    last, ended = time.monotonic() + seconds, None
    while not ended and time.monotonic() < last:
        ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        time.sleep(0 if ended else 0.002)
    os.killpg(process.pid, signal.SIGKILL)
    code = process.wait()
    return code if ended else None


def in_file(script, folder):
    path = folder.parent / "script"
    limit = f"ulimit -Sv {MEMORY >> 10}\n" if MEMORY else ""
    path.write_text(limit + script, encoding="utf-8")
    return path


def run_piped(script, folder, env):
    """The end and the words of a script whose output is a pipe (a file has limits: ulimit -f)."""
    process = subprocess.Popen(["bash", in_file(script, folder)], cwd=folder, env=env,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    pieces = []
    reader = threading.Thread(target=lambda: pieces.extend(iter(lambda: process.stdout.read1(), b"")), daemon=True)
    reader.start()
    code = end_of(process, TIMEOUT)
    reader.join(5)  # what has left the group may hold the pipe
    return code, b"".join(pieces).decode("utf-8", "replace")


def run_on_terminal(script, folder, env, columns):
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(["bash", in_file(script, folder)], cwd=folder, env=env, stdin=other,
                               stdout=other, stderr=other, start_new_session=True)
    os.close(other)
    text, end = b"", time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    code = end_of(process, max(end - time.monotonic(), 0.1))
    os.close(main)
    return code, text.decode("utf-8", "replace")


def crashed(answer):
    code = answer.code
    if code is not None and (-code in CRASH_SIGNALS or code - 128 in CRASH_SIGNALS):
        return f"ended with {code}"
    found = CRASH.search(answer.text)
    return f"'{found.group(0)}'" if found else None


def judge(case, answer, before):
    """(grade, complaints): good, poor or crash."""
    crash = crashed(answer)
    complaints = []
    if answer.code is None:
        complaints.append(f"still ran after {TIMEOUT} s")
    elif answer.code != case.code:
        complaints.append(f"code {answer.code}, expected {case.code}")
    if answer.seconds > case.atmost:
        complaints.append(f"took {answer.seconds:.1f} s, expected at most {case.atmost:g}")
    for pattern in case.says:
        if not re.search(pattern, answer.text, re.MULTILINE):
            complaints.append(f"does not say /{pattern}/")
    for pattern in case.never:
        if re.search(pattern, answer.text, re.MULTILINE):
            complaints.append(f"says /{pattern}/")
    complaints += changes_between(before, state_of(answer.folder), case)
    if case.check and (complaint := case.check(answer)):
        complaints.append(complaint)
    if crash:
        return "crash", [crash] + complaints
    return ("poor" if complaints else "good"), complaints


def run_case(case, samples, build):
    """(grade, complaints, answer)."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="case-"))
    try:
        here = folder / "here"
        shutil.copytree(samples, here, symlinks=True)
        (here / "tmp").mkdir()
        folder.chmod(0o755)
        here.chmod(0o755)
        env = environment(build, here)
        if case.setup:
            code, text = run_piped("set -e\n" + case.setup, here, env)
            if code != 0:
                answer = Answer(code, text, 0.0, here)
                return "poor", [f"its set-up ended with {code}"], answer
        before = state_of(here)
        run = case.run
        if "ordinary" in case.needs:
            run = shlex.join([*ORDINARY, "bash", "-c", run])
        begin = time.monotonic()
        if case.columns:
            code, text = run_on_terminal(run, here, env, case.columns)
        else:
            code, text = run_piped(run, here, env)
        answer = Answer(code, text, time.monotonic() - begin, here)
        return *judge(case, answer, before), answer
    finally:
        unmount_below(folder)
        subprocess.run(["chmod", "-R", "u+rwX", folder], stderr=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)


def unmount_below(folder):
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        place = line.split()[1]
        if place.startswith(str(folder) + "/"):
            subprocess.run(["umount", "-l", place], check=False)


def feature_mounts():
    """May mount a small file system: root in a mount namespace of its own."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "case", folder],
                              stderr=subprocess.DEVNULL).returncode == 0
        if done:
            subprocess.run(["umount", folder], check=True)
        return done


def feature_devices():
    """May make a device node and open it."""
    with tempfile.TemporaryDirectory() as folder:
        node = os.path.join(folder, "null")
        try:
            os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            os.close(os.open(node, os.O_WRONLY))
        except OSError:
            return False
        return True


def feature_ordinary(build):
    """May run the programs as an ordinary user."""
    return os.geteuid() == 0 and subprocess.run(
        [*ORDINARY, f"{build}/bin/boost-run", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def feature_kept_ports():
    """Are the ports below 1024 kept for root? Containers may have none that are."""
    try:
        first = pathlib.Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text()
    except OSError:
        return True  # Linux before 4.11
    return int(first) > 80


def find_features(build):
    """name -> None, or why a case that needs it is skipped."""
    why = lambda has, text: None if has else text
    return {
        "mounts": why(feature_mounts(), "no right to mount a small file system"),
        "devices": why(feature_devices(), "no right to make device nodes"),
        "failing calls": why((build / "test/e2e/fail-calls.so").exists(), "fail-calls.so is not built"),
        "kept ports": why(feature_kept_ports(), "ordinary users may listen on port 80"),
        "ordinary": why(feature_ordinary(build), "cannot run the programs as an ordinary user"),
    }
