"""Persons, machines and prompts as the tools around a server write them; `{}` is what gives somebody away.

And what stands in the same places and gives nobody away.
"""

from __future__ import annotations

PERSONS = (
    *("/home1/{}/venv", "/homes/{}/x", "/users/{}/x", "/nas/users/{}/x", "/fsx/users/{}/x", "/scratch/users/{}/x"),
    *("/afs/lab/user/k/{}/x", "/var/spool/mail/{}", "/media/{}/USB", "{}:x:1000:1000::/srv/x:/bin/bash"),
    *("sudo: {} : TTY=pts/0 ; PWD=/x ; USER=root", "{} ALL=(ALL) NOPASSWD: ALL"),
    *("session opened for user root(uid=0) by {}(uid=1000)", "session opened for user {} by (uid=0)"),
    *("Accepted publickey for {} from 10.0.0.1 port 22 ssh2", "Failed password for invalid user {} from 10.0.0.1"),
    *("Invalid user {} from 10.0.0.1", "New session 12 of user {}.", "systemd[1]: Started Session 3 of User {}."),
    *("Removed slice User Slice of {}", "Authenticating to x:22 as '{}'", "({}@gpu01) Password:"),
    *("JobId=12 UserId={}(1000) GroupId=lab(1000)", "   12345 npu vllm {} R 0:10 1 n1", "SLURM_JOB_USER={}"),
    *("#SBATCH --mail-user={}", "Submitted by: {}", "Triggered by {}", "Started by user {}", "GITHUB_ACTOR: {}"),
    *("GITLAB_USER_LOGIN={}", "BUILD_USER_ID={}", "CHANGE_AUTHOR={}", "GIT_COMMITTER_NAME={}", '"actor": "{}"'),
    *('"author": "{}"', "user.name={}", '"created_by": "{}"', "user_id='{}'", "end_user='{}'", "remote_user={}"),
    *("wandb: Currently logged in as: {} (a-team)", "wandb: Currently logged in as: ci9 ({})"),
    *("wandb: View run at https://wandb.ai/{}/proj/runs/abc123", "git@gitlab.lan:{}/repo.git"),
    *("Username for 'https://github.com': {}", "ERROR: Permission to x denied to {}.", r"CORP\{}", r"'CORP\\{}'"),
    *("arn:aws:sts::1:assumed-role/Dev/{}", "chown {}:{} x", "ssh -l {} gpu01", "user {} is not in the docker group"),
    *(" 1234 {}     20   0   12.3g   1.2g   1.0g S  99.0  3.0   1:00.00 python", "$ whoami\n{}"),
    *("python 1234 {} 4u CHR 8,1 0t0 12 /dev/rbln0", "getpwnam(): name not found: '{}'"),
    *('10.0.0.1 - {} [29/Nov/2026:08:07:35 +0900] "GET / HTTP/1.1" 200 12', "사용자 {}가 실행", "작성자: {}"),
)
FULL_NAMES = (
    *("Started by user {} (mk)", '"author_name":"{}"', "GIT_AUTHOR_NAME='{}'", "user.name={}", "Assignee: {}"),
    *("Approved by {}", "BUILD_USER={}", "작성자: {}", "승인자: {}", "{} <x@y.kr>", "Author: {} <x@y.kr>"),
    "C:/Users/{}/x",
)
TELLING_MACHINES = (
    *("Scheduled on {}", "launching on {}", "rank 3 on {}", "nodes/{}", "kubelet, {}", "Via: 1.1 {}"),
    *("X-Served-By: {}", "server.address={}", "net.peer.name={}", "service.instance.id={}", "-> host.name: Str({})"),
    *("targets: ['{}:9100']", "- targets:\n  - {}:9100", "ping {}", "Found key in /x for {}", "[{} ~]$ ls"),
    *("10.0.0.1\t{} x.lan", "hostname:      {}", "| hostname | {} |", "hostname,{}", "hosts=['{}', 'x']"),
    *(
        "MASTER={}",
        "서버명: {}",
        "노드 이름: {}",
        "장비: {}",
        "노드 {}에서 실행",
        "호스트는 {}입니다",
        "worker {} died",
    ),
    *("pdsh -w {}", "'NodeManagerHostname': '{}'", "2026-11-29 x: Nov 29 08:07:35 {} vllm[12]: up"),
)
MACHINES = (
    *("Node:             {}/10.0.0.1", "Successfully assigned x/y to {}", "node/{} cordoned", 'nodes "{}" not found'),
    *("{}   Ready    <none>   3d   v1.30.0", "vllm-0 1/1 Running 0 3d 10.0.0.1 {} <none> <none>"),
    *("Name:               {}\nRoles:              <none>", "involvedObject:\n  kind: Node\n  name: {}"),
    *("JobId=1 NodeList={}", "BatchHost={}", "error: Nodes {} not responding", "npu*  up  infinite  4  idle  {}"),
    *(" 12 npu vllm x R 0:10 1 {}", "slurmd[{}]: x", "Building remotely on {} (npu) in workspace"),
    *("Running on {} in /var/jenkins", "Running on runner-x via {}...", "  on {} xYz12345, system ID: s_ab12"),
    *("Runner name: '{}'", "Agent machine name: '{}'", "RUNNER_NAME={}", "COMPUTERNAME={}", "REDIS_HOST={}"),
    *("DB_HOST: {}", "VLLM_HOST_IP={}", "HEAD_NODE={}", "NO_PROXY={},localhost", "no_proxy=localhost,.lan,{}"),
    *("--trusted-host {}", ":authority: {}:8000", "x-forwarded-host: {}", "> Host: {}:8000", "ok: [{}]"),
    *("fatal: [{}]: FAILED! => {{}}", "PLAY RECAP\n{} : ok=1 changed=0", "mpirun -np 2 -H x:8,{}:8 y", "{} slots=8"),
    *("{}:/export/models on /models type nfs4", "docker -H {}:2375", "PING {} (10.0.0.1) 56(84) bytes"),
    *("Warning: Permanently added '{}' (ED25519) to the list", "Last login: Mon Nov 29 08:07:35 2026 from {}"),
    *("{} ssh-ed25519 AAAAC3NzaC1lZDI1NTE5", "ECDSA host key for {} has changed", "failure resolving '{}'"),
    *("sudo: unable to resolve host {}: Name or service not known", "ssh: Could not resolve hostname {}: Name"),
    *('could not translate host name "{}" to address', "debug1: Connecting to {} [10.0.0.1] port 22."),
    *("host={} service=x", "$ hostname\n{}", "events.out.tfevents.1700000000.{}.123.0", "<Computer>{}</Computer>"),
    *("server_name {};", "$ ssh {}"),
)
PROMPTS = (
    *("question='{}'", '"instruction": "{}"', "query: '{}'", "documents=['{}']", '{{"text":"{}","type":"text"}}'),
    *("Choice(text='{}')", '"completion": "{}"', "reasoning='{}'", "last_message='{}'", '--prompt "{}"', "--text '{}'"),
    *("content=[TextContent(text='{}')]", 'arguments=\'{{"q": "{}"}}\'', "[type=x, input_value='{}', input_type=str]"),
    *("inputs = tokenizer('{}', return_tensors='pt')", 'llm.generate(["{}"], params)', 'model.chat(tokenizer, "{}")'),
    *('pipe("{}")', "generated_text: {}", "system_prompt: {}", "input_text: {}", "role: user\ncontent: {}"),
    *("Prompt 0: {}", "prompt[0]: {}", "gen_ai.prompt={}", "gen_ai.prompt.0.content: Str({})", "<|user|>\n{}<|end|>"),
    *("[|user|]{}[|endofturn|]", "<｜User｜>{}<｜Assistant｜>", "### Instruction:\n{}", "사용자 질문: {}"),
    *("  User: {}", "* User: {}", "│ User: {}", "└─ User: {}", "\ufeffUser: {}", "08:07:35 User: {}"),
    *("prompt: str = '{}'", "prompts:\n  - {}", 'prompts = [\n    "{}",\n]', "prompt: |\n  {}"),
)
SAID = (
    "Summarize the medical record of my daughter Sumin",
    "제 딸 수민이의 병원 기록을 요약해줘",
)

NOBODY = (
    *("Node: Conv_123 failed", "node=add_12", "node 'MatMul_45' has no kernel", "node: torch.ops.aten.add.Tensor"),
    *(
        "node_name=Conv_12",
        "node = graph.nodes[0]",
        "노드: matmul-12",
        "instance: RBLNRuntime-0",
        "instance=LLMEngine-1",
    ),
    *(
        "instance: vllm-engine-core-0",
        "instance: Worker-0",
        "machine: x86_64",
        "machine=aarch64",
        "host: x86_64-linux-gnu",
    ),
    *("hostname = socket.gethostname()", "nodename = os.uname().nodename", "overlapping types (except one)"),
    *("Requires driver 2.0.1.12 or newer; found 1.9.10.3", "rebel-compiler 10.1.2.3", "cuda-10.1.2.3"),
    *("Installed packages: foo (10.1.2.3), bar (1.2.3.4)", "section 3.1.2.4 of the manual", "OID 1.3.6.1"),
    *("'input': 'float32[1, 128, 4096]'", "messages = ['unexpected keyword argument']", "worker 3 died"),
    *("User: provided value 8 is invalid", "Prompt: lookup decoding is disabled", "Assistant: model loaded ok now"),
    *(
        "사용자: 설정값이 잘못되었습니다 확인 바랍니다",
        "이름: 모델",
        "담당자: 미정",
        "/home/jovyan/work",
        "/home/ray/anaconda3",
    ),
    *("/home/vscode/x", "/home/linuxbrew/.linuxbrew/bin", "/home/coder/project", "/workspace/home/models"),
    *("/data/users/models", "drwxr-xr-x 2 root video 4096 Nov 29 x", "crw-rw---- 1 root render 226, 128 /dev/dri"),
    *("gid=44(video)", "https://arxiv.org/abs/2309.06180"),
    "https://fastapi.tiangolo.com https://docs.sqlalchemy.org https://www.uvicorn.org https://docs.aiohttp.org",
    *("https://onnxruntime.ai https://opensource.org https://www.python-httpx.org https://zeromq.org", "example.com"),
    *("Triggered by push", "triggered by a signal", "user_id: Optional[str] = None", "user_id=self.user_id"),
    *("running on rbln0", "Running on cpu", "git@github.com:rebellions-sw/vllm-rbln.git", "GET /users/list HTTP/1.1"),
    *(
        "text: 'Only one block size is supported for now'",
        '"text": "The node was low on resource"',
        "host=cpu device=0",
    ),
    *("output: 'Attention backends are already initialized'", r"re.compile(r'ERROR\s+(\w+)')", "is_host=True"),
    *("Nov 29 08:07:35 INFO main: up", "hostname not found", "authority=none", "docker run -v hf-cache:/data x"),
)
