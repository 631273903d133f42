"""What an error looks like in any log, whether or not the knowledge base knows it."""

from __future__ import annotations

ERROR_MARK = b" ERROR "
"""The one that most lines of a storm hold."""

_NAMED_LEVELS: tuple[str, ...] = (
    # the value of a key, in an object and in one that stands as a text in another
    *(
        f"{colon}{quote}{level}{quote}"
        for colon in (":", ": ")
        for quote in ('"', '\\"')
        for level in ("error", "ERROR", "Error", "fatal", "FATAL", "Fatal", "critical", "panic", "failed")
    ),
    # bunyan and pino; GELF, of which 4 to 7 are none
    *(f'"level":{blank}{number}{end}' for blank in ("", " ") for number in ("50", "60") for end in (",", "}")),
    *(f'"level":{blank}{number}{end}' for blank in ("", " ") for number in "0123" for end in (",", "}")),
    *(f'everityNumber":{blank}{number}' for blank in ("", " ") for number in ("17", "21")),
    "level=ERROR",
    "level=critical",
    "level=panic",
    'level="error"',
    "lvl=error",
    "lvl=eror",
    "severity=error",
    "severity=ERROR",
)
"""How objects and pairs of a logger say that they are errors."""

STRUCTURAL: tuple[str, ...] = (
    # logger levels: vLLM (`ERROR 11-29 …`), uvicorn (`ERROR:    …`), Python, loguru, CI systems
    " ERROR ",
    "\nERROR ",
    "ERROR\x1b[",
    "ERROR\ufffd[",
    "ERROR:",
    "ERROR]",
    "ERROR\t",
    "[ERROR",
    "##[error]",
    "CRITICAL",
    " FATAL ",
    "\nFATAL ",
    "FATAL:",
    "level=error",
    "level=fatal",
    '"level":"error"',
    '"level": "error"',
    *_NAMED_LEVELS,
    # tracebacks: the header, a frame, the closing line with and without a message, groups and chains
    "Traceback (most recent call last)",
    '  File "',
    "Error: ",
    "Exception: ",
    "Interrupt: ",
    "Exit: ",
    "Error:\n",
    "Error:\r\n",
    "Error\n",
    "Error\r\n",
    "Error\x1b[",
    "Error\ufffd[",
    "Exception\n",
    "Exception\r\n",
    "Interrupt\n",
    "Interrupt\r\n",
    "Exit\n",
    "Exit\r\n",
    "Iteration\n",
    "Iteration\r\n",
    "Exception Group Traceback",
    "The above exception was the direct cause",
    "During handling of the above exception",
    "During handling of this exception",
    "Unraisable exception",
    "Exception ignored in",
    # what ends a process
    "rbln.worker.fatal",
    "died with",
    "died unexpectedly",
    "Segmentation fault",
    "core dumped",
    "Aborted (",
    "terminate called",
    "Fatal Python error",
    "Killed ",
    "Out of memory:",
    "oom-kill",
    "OOMKill",
    "Killed\n",
    "Killed\r\n",
    "Terminated\n",
    "signal: killed",
    "exited with code ",
    "Main process exited",
    "Failed with result",
    "returned exit code ",
    "Finished: FAILURE",
    "\npanic: ",
    "panicked at ",
    "비정상 종료",
    "비정상적으로 종료",
    "exit code: ",
    "exit code 1",
    "exitcode: ",
    "SIGKILL",
    "SIGSEGV",
    "SIGABRT",
    "SIGBUS",
    # command lines, compilers, shells, drivers
    ": error: ",
    ": error C",
    ": fatal error ",
    "FAILED: ",
    "오류: ",
    "에러: ",
    "오류가 발생",
    "실패했습니다",
    "실패하였습니다",
    "\nerror: ",
    "\nerror[",
    "\nError ",
    "\nfatal: ",
    "\nAborted",
    "\nBus error",
    "fatal error:",
    "error: subprocess-exited",
    "command not found",
    "No such file or directory",
    "Permission denied",
    "unrecognized arguments",
    "SYS_E",
    "[rebel-compiler] ERROR",
    "[rebel-compiler] CRITICAL",
    "Assertion `",
    "Assertion failed",
    "undefined symbol",
    "cannot open shared object",
    "what():  ",
    # the kernel driver of the NPU
    "rebellions rbln",
    "rebellions 000",
    "rebellions: ",
    # journald writes a message that holds a colour as its bytes, in which no literal can be seen
    '"MESSAGE":[',
    '"MESSAGE": [',
    '"MESSAGE" : [',
)
"""Literals that make a line one of interest; those of the knowledge base and of the context come on top.

A newline in front means: at the beginning of a line. Chosen so that the lines of a healthy server (access,
statistics, ``Received request`` with a prompt that talks about errors) rarely hold one. That is why a bare
``error: `` counts only at the beginning of a line, and behind a colon, as argparse and compilers print it."""
