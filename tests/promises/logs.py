"""Logs of the main job, in the shape the programs print them."""

from __future__ import annotations

COMPILE_ARGS = """\
2026-11-02 10:15:01,101 INFO [rebel-compiler] RBLN SDK compiler version: 0.12.0
2026-11-02 10:15:01,102 INFO [rebel-compiler] -- Target NPU: {npu}
2026-11-02 10:15:01,103 INFO [rebel-compiler] -- Number of devices: {devices}
"""


def compile_log(npu: str, devices: int) -> str:
    """What rebel-compiler prints while an artifact is made."""
    return COMPILE_ARGS.format(npu=npu, devices=devices) + (
        "2026-11-02 10:15:01,110 INFO [rebel-compiler] |Compile(#0), mod_name=5ac1d2, input_info_index=0|\n"
        "2026-11-02 10:19:44,310 INFO [rebel-compiler] Serializing compiled model to /models/out/prefill.rbln ...\n"
        "2026-11-02 10:19:51,007 INFO [rebel-compiler] Compiled model serialized. Elasped time: 0:00:07\n"
    )


def traceback(message: str, *, file: str = "compile.py", function: str = "<module>", code: str = "main()") -> str:
    return (
        "Traceback (most recent call last):\n"
        f'  File "/srv/app/{file}", line 21, in {function}\n'
        f"    {code}\n"
        '  File "/opt/venv/lib/python3.11/site-packages/optimum/rbln/modeling_base.py", line 378, in _from_compiled\n'
        "    raise RuntimeError(error_msg) from e\n"
        f"{message}\n"
    )


RUNTIME_FAILED = (
    "RuntimeError: \n"
    "Failed to create RBLN runtime: {reason}\n"
    "\n"
    "If you only need to compile the model without loading it to NPU, you can use:\n"
    "  from_pretrained(..., rbln_create_runtimes=False) or\n"
    "  from_pretrained(..., rbln_config={{..., 'create_runtimes': False}})\n"
    "\n"
    "To check your NPU status, run the 'rbln-smi' command in your terminal.\n"
    "Make sure your NPU is properly installed and operational."
)

EXPORT_CODE = "model = RBLNAutoModelForImageTextToText.from_pretrained(model_id, export=True, rbln_config=cfg)"
LOAD_CODE = 'model = RBLNAutoModelForImageTextToText.from_pretrained("Qwen3-VL-2B-Instruct", export=False)'


def serve_log(error: str, *, args: str, engine: str = "", version: str = "0.30.0") -> str:
    """A `vllm serve` start that failed in the engine core, with both copies of the exception and the echoes."""
    logged = "".join(
        f"(EngineCore pid=4242) ERROR 11-29 11:57:53 [core.py:1366] {line}\n"
        for line in (
            "EngineCore failed to start.",
            "Traceback (most recent call last):",
            '  File "/opt/venv/lib/python3.11/site-packages/vllm/v1/engine/core.py", line 1340, in run_engine_core',
            "    engine_core = EngineCoreProc(*args, **kwargs)",
            *error.splitlines(),
        )
    )
    raw = "".join(
        f"(EngineCore pid=4242) {line}\n"
        for line in (
            "Process EngineCore:",
            "Traceback (most recent call last):",
            '  File "/opt/venv/lib/python3.11/site-packages/vllm/v1/engine/core.py", line 1370, in run_engine_core',
            "    raise e",
            *error.splitlines(),
        )
    )
    api = "".join(
        f"(APIServer pid=4100) {line}\n"
        for line in (
            "Traceback (most recent call last):",
            '  File "/opt/venv/bin/vllm", line 8, in <module>',
            "    sys.exit(main())",
            "RuntimeError: Engine core initialization failed. See root cause above. "
            "Failed core proc(s): {'EngineCore': 1}",
        )
    )
    return (
        "INFO 11-29 11:57:01 [__init__.py:52] Platform plugin rbln is activated\n"
        f"(APIServer pid=4100) INFO 11-29 11:57:05 [api_utils.py:286] vLLM server version {version}, serving model X\n"
        f"(APIServer pid=4100) INFO 11-29 11:57:05 [api_utils.py:286] non-default args: {args}\n"
        "(EngineCore pid=4242) INFO 11-29 11:57:20 [core.py:124] Initializing a V1 LLM engine (v0.30.0) with config: "
        "model='X', speculative_config=None, tokenizer='X', dtype=torch.bfloat16, enable_prefix_caching=False\n"
        f"{engine}{logged}{raw}{api}"
    )
