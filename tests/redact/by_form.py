"""Lines of one form each: what must be nowhere, and what must stay where it was."""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    text: str
    gone: tuple[str, ...]
    kept: tuple[str, ...]


_DATA = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6o"

FORMS: dict[str, tuple[Line, ...]] = {
    "what a server logs of its answer": (
        Line(
            "[logger.py:71] Generated response chatcmpl-77: output: 'the zebra code', output_token_ids: None, "
            "finish_reason: stop, streaming: False",
            ("zebra",),
            ("[logger.py:71] Generated response chatcmpl-77: output: <", "finish_reason: stop, streaming: False"),
        ),
        Line(
            'Generated response cmpl-1 (streaming delta): output: "it\'s zebra", output_token_ids: [17, 4711], '
            "finish_reason: None, streaming: True",
            ("zebra", "4711"),
            ("cmpl-1 (streaming delta): output: <", "finish_reason: None"),
        ),
        Line(
            "Generated response a (streaming complete): output: 'a\\'s \"zebra\"', finish_reason: length",
            ("zebra",),
            ("finish_reason: length",),
        ),
        Line("Generated response cmpl-1: output: 'the zebra …", ("zebra",), ("cmpl-1",)),
    ),
    "token ids": (
        Line("prompt_token_ids: [151644, 8948], n=1", ("8948",), ("n=1",)),
        Line("input_ids: tensor([[151644, 8948,  198]], device='rbln:0')", ("8948",), ("device='rbln:0'",)),
        Line("{'input_ids': tensor([[151644,\n          8948,  198]])}", ("151644", "8948"), ()),
        Line('"input_ids":\n [151644, 8948, 198], "x": 7', ("8948",), ('"x": 7',)),
        Line("CompletionOutput(index=0, text='', token_ids=[8948, 198], n=1)", ("8948",), ("index=0", "n=1")),
        Line("all_token_ids=[[8948, 198], [77, 4711]]", ("8948", "4711"), ()),
    ),
    "Hangul as JSON escapes it": (
        Line(
            r'{"log":"\uc554\ud638\ub294 tiger9876 \uc785\ub2c8\ub2e4\n","stream":"stderr"}',
            ("tiger9876",),
            (r'"\uc554\ud638\ub294 <', r' \uc785\ub2c8\ub2e4\n","stream":"stderr"'),
        ),
        Line(r'{"log":"API \uD0A4: echo9apikey\n"}', ("echo9apikey",), (r'"API \uD0A4: <',)),
        Line(r'{"log":"\ud1a0\ud070=foxtrot9tok\n"}', ("foxtrot9tok",), (r"\ud1a0\ud070=<",)),
        Line(r'{"a":"{\"log\":\"\\uc554\\ud638: tiger9876\"}"}', ("tiger9876",), (r"\\uc554\\ud638: <",)),
        Line(r'{"log":"\ub2f4\ub2f9\uc790: \uae40\ubbfc\uc7ac\n"}', (r"\uae40", r"\uc7ac"), (r"\uc790: <",)),
        Line(r'{"log":"\ud83d\ude00 \uc554\ud638: tiger9876"}', ("tiger9876",), (r"\ud83d\ude00 \uc554",)),
    ),
    "slashes as JSON escapes them": (
        Line(r'path "\/home\/mike9user\/x"', ("mike9user",), ('path "<home', r'\/x"')),
        Line(r'{"p":"\/data\/users\/mike9user\/x"}', ("mike9user",), (r"\/data\/users\/<", r'\/x"}')),
    ),
    "login to a registry": (
        Line(
            "docker login -u minsuk -p D0ckerPw99 registry.acme.local",
            ("minsuk", "D0cker", "acme"),
            ("docker login -u",),
        ),
        Line("podman login -u=minsuk -p=D0ckerPw99 reg-7:5000", ("minsuk", "D0cker", "reg-7"), (":5000",)),
        Line("nerdctl login --username minsuk --password-stdin registry.acme.local", ("minsuk", "acme"), ("-stdin",)),
        Line("helm registry login registry.acme.local --username=minsuk", ("minsuk", "acme"), ("helm registry login",)),
        Line('docker login -u "minsuk" -p "D0 cker" https://registry.acme.local/v2/', ("minsuk", "acme"), ("/v2/",)),
        Line("docker login -uminsuk reg:5000 && vllm serve m", ("minsuk", " reg:"), (":5000 && vllm serve m",)),
        Line("docker login -u 'minsuk' 'registry.acme.local'", ("minsuk", "acme"), ("docker login -u '<",)),
        Line("docker login ghcr.io -u minsuk", ("minsuk",), ("ghcr.io",)),
    ),
    "whose file it is": (
        Line("drwxr-xr-x 2 quebec9user staff 4096 Nov 30 09:00 x", ("quebec9",), (" staff 4096 Nov 30 09:00 x",)),
        Line("-rw-r--r--. 1 root zebrateam 4096 Nov 30 09:00 x", ("zebrateam",), ("1 root <", " 4096 Nov")),
        Line("drwxrwx---+  14 quebec users  4.0K Nov 30 2025 x", ("quebec",), (" users  4.0K",)),
        Line("-rw-r--r-- 1 quebec zebrateam 0 Nov 30 09:00 x", ("quebec", "zebrateam"), (" 0 Nov 30",)),
    ),
    "whose process it is": (
        Line(
            "romeo9user  4242  0.0  0.1 123456 7890 ?        Sl   09:00   0:01 python x.py",
            ("romeo",),
            ("  4242  0.0  0.1 123456 7890 ?        Sl   09:00   0:01 python x.py",),
        ),
        Line(
            "romeo9u+ 4242 312  10.1 123456 7890 pts/3 R+ Nov29 9:01 vllm serve",
            ("romeo",),
            (" 4242 312", "vllm serve"),
        ),
        Line("romeo    4242    1  0 09:00 ?        00:00:01 python x.py", ("romeo",), (" 00:00:01 python x.py",)),
        Line("   4242 romeo9u+  20   0   12.3g   7.8g   3000 S   0.0   0.1   0:01.23 python", ("romeo",), ("12.3g",)),
        Line("   4242 romeo      20   0  12.3G  7890M  3000 R 99.0  0.1  0:01.23 python", ("romeo",), ("99.0  0.1",)),
    ),
    "home of two words": (
        Line('File "/Users/Hong Gildong/dev/x.py", line 3', ("Hong", "Gildong"), ('File "<home', '/dev/x.py", line 3')),
        Line('"/Users/Hong Gildong Kim/x"', ("Hong", "Gildong", "Kim"), ('/x"',)),
        Line("cwd='/Users/Hong Gildong'", ("Hong", "Gildong"), ("cwd='<",)),
        Line(r'{"log":"File \"/Users/Hong Gildong/x.py\", line 3"}', ("Gildong",), ("/x.py", "line 3")),
    ),
    "asked for and typed": (
        Line("Enter password for zulu: hunter3pass", ("zulu", "hunter3pass"), ("Enter password for <",)),
        Line("[sudo] password for <user-1>: hunter!pass", ("hunter!pass",), ("for <user-1>: <",)),
        Line("Enter passphrase for key '/home/kim/.ssh/id': hunter3pass", ("hunter3pass",), ("/.ssh/id': <",)),
    ),
    "alone on the next line": (
        Line("secret_key:\n  oscar8secretvalue", ("oscar8",), ("secret_key:\n  <",)),
        Line("a:\n  db_password: >-\n    hunterzebra\n  port: 8000", ("hunterzebra",), ("    <", "  port: 8000")),
        Line("- api_key:\n    hunterzebra\n- b: 1", ("hunterzebra",), ("- b: 1",)),
        Line(
            "2026-11-29T08:07:35.12Z stdout F secret_key:\n2026-11-29T08:07:36.47Z stdout F   hunterzebra",
            ("hunterzebra",),
            ("36.47Z stdout F   <",),
        ),
    ),
    "telephone with its area in brackets": (
        Line("전화 (010)1234-5678", ("1234-5678",), ("전화 <",)),
        Line("전화(02) 123-4567 내선 12", ("123-4567",), (" 내선 12",)),
        Line("tel (031) 1234 5678.", ("1234 5678",), ("tel <",)),
    ),
    "number of one device": (
        Line(
            "| 0 | RBLN-CA25 | rbln0 | serial RBC00A1234 |",
            ("RBC00A1234",),
            ("| 0 | RBLN-CA25 | rbln0 | serial <", " |"),
        ),
        Line("| rbln0 | S/N | RBC00A1234 | 0000:3b:00.0 |", ("RBC00A1234",), ("| 0000:3b:00.0 |", "rbln0")),
        Line(
            "| 0 | RBLN-CA25 | rbln0 | uuid | 6f1ed002-ab55-9585-9014-ebf0951522d9 |",
            ("6f1ed002",),
            ("RBLN-CA25 | rbln0",),
        ),
    ),
    "picture of a request": (
        Line(
            f'{{"url": "data:image/png;base64,{_DATA}"}}', (_DATA[:9], _DATA[-9:]), ('"data:image/png;base64,<prompt-',)
        ),
        Line("data:audio/wav;base64,UklGRiQA… x=1", ("UklGRiQA",), ("… x=1",)),
    ),
}

NEAR = (
    "Generated response cmpl-1: output: None, output_token_ids: None, finish_reason: stop",
    "Generated response cmpl-1: output: '', output_token_ids: [], finish_reason: stop",
    "the model generated response output: 12 blocks",
    "input_ids: [1, 4096], input_ids: torch.Size([1, 128]), stop_token_ids=[151645, 151643], eos_token_ids: [2, 3]",
    "input_ids must be 1D, got shape=(1, 128); ('input_ids', [1, 128, 4096], 'int64')",
    r'{"log":"\uba54\ubaa8\ub9ac \ubd80\uc871: 12 \ube14\ub85d\n","stream":"stderr"}',
    r'{"log":"\ube44\ubc00\ubc88\ud638\ub294 \ud544\uc218 \ud56d\ubaa9\uc785\ub2c8\ub2e4\n"}',
    r"half of a pair \ud83d and C:\models\uabcd\x",
    r'{"p":"\/opt\/venv\/lib\/python3.11\/x.py"}',
    "docker login failed: no network; docker login --help; docker login is required",
    "docker login nvcr.io -u '$oauthtoken' and docker login -u AWS --password-stdin public.ecr.aws",
    "docker login docker.io -u root, docker run -u 1000 registry",
    "drwxr-xr-x 2 root root 4096 Nov 30 09:00 x",
    "crw-rw---- 1 root video 508, 0 Nov 30 09:00 rbln0",
    "-rw-r--r-- 1 1000 1000 4096 Nov 30 09:00 x",
    "root         1  0.0  0.1 123456  7890 ?        Ss   09:00   0:01 /sbin/init",
    "www-data    12  0.0  0.1 123456  7890 ?        S    09:00   0:01 nginx",
    "systemd+    12  0.0  0.1 123456  7890 ?        Ss   09:00   0:01 x",
    "root         1     0  0 09:00 ?        00:00:01 /sbin/init",
    "embedding 12 0.5 0.3 4096 128 f S, lm_head 4242 0.0 0.1 123456 7890 blocks",
    "nobody 4242 0.0 0.1 123456 7890 ? S x",
    "/home/user and more, '/home/user and more/x', open('/home/user') and x/y",
    "'/opt/My Models/x' and \"/models/Qwen 3/x\"",
    "(010) 12 blocks, f(02) 123 4567, (02)12-34, shape(010)1234",
    "serial execution, Serial: yes, serial FP16 mode, serial RBLN-CA25, serial rbln0, serial CONV2D_1234",
    "| 0 | RBLN-CA25 | rbln0 | 0000:3b:00.0 | 12.3GiB / 15.7GiB |",
    "data:image/png;base64, and data: image/png; metadata:x;base64",
    "password for root: not allowed",
    "password for root: incorrect",
    "[sudo] password for root:\nmax_num_batched_tokens=4096",
    "secret_key:\nvalue_of_another",
    "  secret_key:\n  max_model_len",
    "secret_key:\n  required",
    "secret_key:\n  name: a",
    "if not password:\n    raise",
    "if secret:\n      return",
    "max_tokens:\n  many",
    "password:\n    The password of the server",
)
"""Near to one of them, and nobody's."""
