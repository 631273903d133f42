"""Diagnoses built by hand, one for each kind of report."""

from __future__ import annotations

from diagnose.model import (
    Change,
    Consequence,
    Diagnosis,
    Finding,
    InputInfo,
    Nearest,
    Overruled,
    Remedy,
    RunContext,
    Setting,
    Text,
    Unknown,
)

ASKED = "non-default args"
SERVED = RunContext(
    config={
        "max_seq_len": Setting(262144, 3, ASKED),
        "batch_size": Setting(8, 3, ASKED),
        "kvcache_partition_len": Setting(16384, 3, ASKED),
        "num_devices": Setting(8, 3, ASKED),
    },
    npu="RBLN-CA25",
    versions={"vllm_rbln": "0.12.0", "optimum_rbln": "0.12.0"},
    model="Qwen/Qwen3-VL-2B-Instruct",
    path="vllm",
    form="vllm-serve",
)


def spans(text: str, *numbers: str) -> tuple[tuple[int, int], ...]:
    """Where ``numbers`` stand in ``text``, in order."""
    found, start = [], 0
    for number in numbers:
        at = text.index(number, start)
        start = at + len(number)
        found.append((at, start))
    return tuple(found)


KV_TEXT = (
    "ValueError: Insufficient memory for the required KV cache: only 12 blocks can be allocated, "
    "but at least 17 blocks are required. Consider reducing `max_seq_len` or `batch_size` "
    "(currently 8) to lower the memory requirement."
)
KV_FINDING = Finding(
    entry="kv-cache.insufficient-memory",
    domain="rbln",
    role="root",
    severity="fatal",
    line=812,
    offset=90211,
    text=KV_TEXT,
    title=Text(
        "Device memory cannot hold the minimum KV cache",
        "디바이스 메모리에 최소 KV 캐시가 들어가지 않습니다",
    ),
    cause=Text(
        "After weights and buffers, 12 KV blocks of 16384 tokens fit on each device. One sequence of "
        "`max_seq_len` tokens and one spare block need 17, so the compiler refuses.",
        "가중치와 버퍼를 뺀 메모리에는 16384 토큰짜리 KV 블록이 12개만 들어갑니다. `max_seq_len` 길이의 "
        "시퀀스 하나와 여분 블록 하나에 17개가 필요하므로 컴파일러가 거부합니다.",
    ),
    count=2,
    lines=(812, 840),
    process="EngineCore pid=4242",
    time="11-29 11:57:53",
    numbers={"available_blocks": 12, "required_blocks": 17, "batch_size": 8},
    highlights=spans(KV_TEXT, "12", "17", "8"),
    remedies=(
        Remedy(
            id="shorter-context",
            applicability="exact",
            title=Text("Limit the sequence length to what fits", "시퀀스 길이를 들어가는 만큼으로 줄입니다"),
            changes=(Change("max_seq_len", 262144, 180224),),
            arithmetic="(12 - 1) * 16384 = 180224",
            commands={
                "vllm": "--max-model-len 180224",
                "python": '-   "max_seq_len": 262_144,\n+   "max_seq_len": 180_224,',
            },
            side_effect=Text(
                "Requests longer than 180224 tokens are refused. The model is compiled anew.",
                "180224 토큰보다 긴 요청은 거부됩니다. 모델을 다시 컴파일해야 합니다.",
            ),
            verify=Text(
                "The compile log must report at least 12 blocks.",
                "컴파일 로그의 블록 수가 12 이상이어야 합니다.",
            ),
        ),
        Remedy(
            id="more-devices",
            applicability="estimate",
            title=Text("Shard over more devices", "device 수를 늘려 나눠 올립니다"),
            changes=(Change("num_devices", 8, 16),),
            arithmetic="ceil(17 / 12) → next power of two = 16",
            bound=Text("Within about 10 % of the blocks", "블록 수 기준 약 10% 이내"),
            commands={"vllm": "--rbln-num-devices-per-local-rank 16"},
        ),
        Remedy(
            id="smaller-blocks",
            applicability="needs-value",
            title=Text("Use smaller partitions", "파티션 크기를 줄입니다"),
            arithmetic="floor(12 * kvcache_partition_len / block_size)",
            missing=("block_size",),
        ),
        Remedy(
            id="serve-elsewhere",
            applicability="advice",
            title=Text("Place the vision submodule on other devices", "비전 서브모듈을 다른 device에 배치합니다"),
        ),
    ),
    consequences=tuple(
        Consequence(entry, line, Text("Engine start failed", "엔진 시작 실패"))
        for entry, line in (("engine.init-failed", 871), ("engine.api-exit", 902), ("engine.api-exit", 915))
    ),
)

KV = Diagnosis(
    input=InputInfo("server.log", 90500, 930),
    outcome="diagnosed",
    run=SERVED,
    findings=(KV_FINDING,),
    kb_hash="5f0c",
    kb_entries=512,
)

RUNTIME_TEXT = (
    "RuntimeError: Failed to create RBLN runtime: (System) code=511 SYS_EBUSY: Lack of device memory.\n\n"
    "If you only need to compile the model without loading it to NPU, you can use:\n"
    "  from_pretrained(..., rbln_create_runtimes=False)"
)
RUNTIME = Diagnosis(
    input=InputInfo("컴파일 로그.txt", 4096, 61),
    outcome="diagnosed",
    run=RunContext(
        config={"batch_size": Setting(8, None, "compile.py"), "num_devices": Setting(1, None, "compile.py")},
        overruled=(Overruled("max_seq_len", Setting(262144, 3, ASKED), Setting(131072, 9, "Updating … to")),),
        npu="RBLN-CR13",
        versions={"optimum_rbln": "0.12.0"},
        vision_prefix="visual",
        form="optimum-python",
    ),
    findings=(
        Finding(
            entry="runtime.create-failed",
            domain="rbln",
            role="root",
            severity="fatal",
            line=44,
            offset=3000,
            text=RUNTIME_TEXT,
            title=Text("Two submodules do not fit on one device", "서브모듈 두 개가 device 하나에 들어가지 않습니다"),
            cause=Text(
                "The vision submodule and the language model share device 0; weights and KV cache exceed its DRAM.",
                "비전 서브모듈과 LM이 device 0을 함께 쓰며, 가중치와 KV 캐시의 합이 DRAM을 넘습니다.",
            ),
            numbers={"code": 511},
            highlights=spans(RUNTIME_TEXT, "511"),
            remedies=(
                Remedy(
                    id="split-devices",
                    applicability="exact",
                    title=Text("Give each submodule its own device", "서브모듈마다 device를 따로 지정합니다"),
                    changes=(Change("visual.device", None, 1), Change("device", None, 0)),
                    commands={
                        "python": 'rbln_config={\n+   "visual": {"device": 1},\n+   "device": 0,\n}',
                        "processor": "AutoProcessor.from_pretrained(model_id, max_pixels=802816)",
                    },
                ),
            ),
        ),
        Finding(
            entry="host.disk-full",
            domain="host",
            role="root",
            severity="error",
            line=58,
            offset=3900,
            text="OSError: [Errno 28] No space left on device",
            title=Text("The disk is full", "디스크 공간이 없습니다"),
            cause=Text("The artifact could not be written.", "산출물을 저장하지 못했습니다."),
            highlights=((16, 18),),
            recovered=True,
        ),
    ),
    notes=(
        Finding(
            entry="note.vision-bucket",
            domain="rbln",
            role="context",
            severity="info",
            line=0,
            offset=0,
            text="",
            title=Text("The vision bucket is five times too large", "비전 버킷이 필요한 크기의 5배입니다"),
            cause=Text("896×896 images need 3136 patches.", "896×896 이미지는 3136 patch면 충분합니다."),
            remedies=(
                Remedy(
                    id="fit-bucket",
                    applicability="exact",
                    title=Text("Fit the bucket", "버킷을 맞춥니다"),
                    changes=(Change("visual.max_seq_len", 16384, [3136, 8192]),),
                    arithmetic="(896 / 16) * (896 / 16) = 3136",
                ),
            ),
        ),
    ),
    runs=3,
)

UNKNOWN = Diagnosis(
    input=InputInfo("worker.log", 2000, 40),
    outcome="unknown",
    run=RunContext(),
    unknown=(
        Unknown(
            line=31,
            offset=1500,
            text="RuntimeError: rblnStreamSynchronize returned 7719 at /opt/app/serve.py:88",
            template="RuntimeError: rblnStreamSynchronize returned <n> at <path>",
            count=4,
            process="Worker_TP1 pid=77",
            nearest=(Nearest("runtime.timeout", 71),),
        ),
        Unknown(line=38, offset=1900, text="KeyError: 'lm_head'", template="KeyError: <str>"),
    ),
)

CONSEQUENCE = Diagnosis(
    input=InputInfo("api.log", 700, 12),
    outcome="unknown",
    run=RunContext(versions={"vllm": "0.30.0"}),
    findings=(
        Finding(
            entry="engine.init-failed",
            domain="vllm",
            role="consequence",
            severity="fatal",
            line=9,
            offset=500,
            text="RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
            title=Text("The engine did not start", "엔진이 시작되지 않았습니다"),
            cause=Text("The API server saw its engine end.", "API 서버가 엔진의 종료를 확인했습니다."),
            process="APIServer pid=4100",
        ),
    ),
)

HEALTHY = Diagnosis(input=InputInfo("ok.log", 5000, 1234), outcome="healthy", run=SERVED)

SAMPLES = {"kv": KV, "runtime": RUNTIME, "unknown": UNKNOWN, "consequence": CONSEQUENCE, "healthy": HEALTHY}
