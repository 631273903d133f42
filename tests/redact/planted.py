"""Secrets as they are planted: what is written into a log, and what of it must be nowhere else.

All are made up, in the shape their issuers document.
"""

from __future__ import annotations

from typing import NamedTuple


class Planted(NamedTuple):
    text: str
    """As it stands in the log."""
    secret: str
    """What gives it away."""


KEY_LINES = (
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "Zq3rXy0pLwTn5vBc9dEf2gHi7jKl4mNo8QsRuVtWxYzA1bCdEfGhIjKlMnOpQrSt",
)
HEX40 = "3f9c1a7be2d84056af13c9d07e5b82146ad0f3c8"

SECRETS: dict[str, Planted] = {
    "hf token": Planted("hf_QwErTyUiOpAsDfGhJkLzXcVbNm12345678", "QwErTyUiOpAsDfGh"),
    "hf token of an organisation": Planted("api_org_ZxCvBnMaSdFgHjKlQwErTyUiOp123456", "ZxCvBnMaSdFgHjKl"),
    "hf token in a name": Planted("HF_TOKEN=local-stub-77", "local-stub-77"),
    "openai key": Planted("sk-abcdEFGH1234ijklMNOP5678qrst", "abcdEFGH1234ijkl"),
    "openai project key": Planted("sk-proj-Ab12_Cd34-Ef56Gh78Ij90Kl12Mn34", "Cd34-Ef56Gh78"),
    "anthropic key": Planted("sk-ant-api03-Zz9yXx8wVv7uTt6sRr5q-AA", "Zz9yXx8wVv7u"),
    "aws key id": Planted("AKIAQ3EGRIX7TESTKEYZ", "Q3EGRIX7TESTKEYZ"),
    "aws secret key": Planted("aws_secret_access_key = wJalr9UtnFEMIqK7MDENGsbPxRfiCYzTESTKEY00", "wJalr9UtnFEMIqK7"),
    "gcp key": Planted("AIzaSyD4mX7pQ2rT9vW1yZ3bC5dE8fG0hJ6kLmN", "SyD4mX7pQ2rT9v"),
    "gcp oauth token": Planted("ya29.a0AfB_byCdEfGhIjKlMnOpQrStUv", "a0AfB_byCdEf"),
    "azure storage key": Planted(
        "AccountName=logs;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSR==;", "Eby8vdM02xNOcqFl"
    ),
    "azure signature": Planted(
        "https://blobs.core.windows.net/c/a.log?sv=2024&sig=p0Lk8Jh7Gf6Ds5Aq4Wz%3D", "p0Lk8Jh7Gf6Ds5"
    ),
    "github token": Planted("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F292c6912"),
    "github fine-grained token": Planted("github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwx", "11ABCDEFG0abcdefghijkl"),
    "gitlab token": Planted("glpat-xY7zAb9cDe1fGh3iJk5l", "xY7zAb9cDe1fGh3i"),
    "slack token": Planted("xoxb-2147483648-abcdefGHIJkl", "2147483648-abcdefGHI"),
    "slack webhook": Planted("https://hooks.slack.com/services/T0ABC/B0DEF/Gh1Jk2Lm3No4Pq", "Gh1Jk2Lm3No4Pq"),
    "discord webhook": Planted("https://discord.com/api/webhooks/1234567/aBcDeFgHiJk-Lm", "aBcDeFgHiJk-Lm"),
    "w&b key": Planted(f"WANDB_API_KEY={HEX40}", HEX40),
    "w&b login": Planted(f"wandb login {HEX40}", HEX40),
    "nvidia key": Planted("nvapi-Kq7Lm8Nn9Pp0Rr1Ss2Tt3", "Kq7Lm8Nn9Pp0"),
    "npm token": Planted("npm_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5", "aB3dE5fG7hJ9kL1m"),
    "pypi token": Planted("pypi-AgEIcHlwaS5vcmcCJDAwMDAtdGVzdC10b2tlbg", "AgEIcHlwaS5vcmcC"),
    "docker token": Planted("dckr_pat_aBcDeFgHiJkLmNoPqRsTuV", "aBcDeFgHiJkLmNoP"),
    "stripe key": Planted("sk_live_4eC39HqLyjWDarjtT1zd", "4eC39HqLyjWDarj"),
    "sendgrid key": Planted("SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8t", "ngeVfQFYQlKU0ufo"),
    "databricks token": Planted("dapi0123456789abcdef0123456789abcdef", "0123456789abcdef0123"),
    "vault token": Planted("hvs.CAESIJ2kLmNoPqRsTuVwXyZ01", "CAESIJ2kLmNoPq"),
    "telegram token": Planted("5182326485:AAFkq9wErTy7UiOp3AsDf5GhJk1LzXcVbN0", "AAFkq9wErTy7UiOp"),
    "key of a model service": Planted("gsk_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z", "aB3dE5fG7hJ9kL1m"),
    "jwt": Planted("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJl", "eyJzdWIiOiIxMjM0NTYifQ"),
    "bearer header": Planted("Authorization: Bearer q8w7e6r5t4y3u2i1", "q8w7e6r5t4y3u2i1"),
    "bearer header in a dictionary": Planted("{'authorization': 'Bearer zz91yy82xx73'}", "zz91yy82xx73"),
    "basic header": Planted("Authorization: Basic bWluamFlOmh1bnRlcjI=", "bWluamFlOmh1bnRlcjI"),
    "login in a URL": Planted("postgres://svc_rbln:p@ss-w0rd!@localhost:5432/runs", "p@ss-w0rd!"),
    "password": Planted("password=correct-horse-9", "correct-horse-9"),
    "password in JSON": Planted('{"db_password": "tr0ub4dor&3"}', "tr0ub4dor"),
    "password of a flag": Planted("--redis-password s3cr3tFlag", "s3cr3tFlag"),
    "password of two words": Planted("passwd: 'open sesame 42'", "open sesame 42"),
    "login of curl": Planted("curl -u minjae:kimchi99 http://localhost/", "kimchi99"),
    "password of a database": Planted("DB_PASS=q1w2e3r4", "q1w2e3r4"),
    "key of a framework": Planted("SECRET_KEY_BASE=5f4dcc3b5aa765d61d83", "5f4dcc3b5aa7"),
    "password in Korean": Planted("비밀번호: 바다코끼리77!", "바다코끼리77"),
    "password in a Korean sentence": Planted("비밀번호는 kimchi8899 입니다", "kimchi8899"),
    "password of sshpass": Planted("sshpass -p MyP4ssw0rd ssh box", "MyP4ssw0rd"),
    "password of mysql": Planted("mysql -uroot -pS3cretPw9 runs", "S3cretPw9"),
    "password of a registry": Planted("docker login -u ci -p S3cretPw8 reg:5000", "S3cretPw8"),
    "password of redis": Planted("redis-cli -h cache -a S3cretPw7 ping", "S3cretPw7"),
    "token set in a script": Planted('os.environ["OPENAI_API_KEY"] = "zz91kd82mm"', "zz91kd82mm"),
    "key in the headers of a server": Planted("(b'x-api-key', b'zz91kd82mmq0')", "zz91kd82mmq0"),
    "cookie in the headers of a server": Planted("(b'cookie', b'sid=zz91kd82mmq0')", "zz91kd82mmq0"),
    "login of a registry": Planted('{"auths": {"r.local": {"auth": "bWluc3U6cGFzc3dvcmQ="}}}', "bWluc3U6"),
    "token header": Planted("Private-Token: zz91kd82mm", "zz91kd82mm"),
    "cookie of a session": Planted("JSESSIONID=AB0123456789CDEF", "AB0123456789"),
    "token in Korean": Planted("토큰: hunterzq77", "hunterzq77"),
    "passphrase of words": Planted('the passphrase is "correct horse zq"', "horse zq"),
    "user of ssh": Planted("ssh -p 22 minsukim@npu-prod-17 uptime", "minsukim"),
    "user of scp": Planted("scp a.log minsukim@10.2.3.4:/tmp", "minsukim"),
    "user of sudo": Planted("[sudo] password for minsukim:", "minsukim"),
    "user of netrc": Planted("machine r.local login minsukim password hunterzq77", "minsukim"),
    "user in Korean": Planted("사용자: minsukim", "minsukim"),
    "host in Korean": Planted("호스트: npu-prod-17", "npu-prod-17"),
    "registration number in one": Planted("주민등록번호: 9001011234567", "1234567"),
    "home on a volume": Planted("/data/users/minsukim/models", "minsukim"),
    "generated text": Planted("CompletionOutput(index=0, text=' it is diabetes zq', token_ids=[1])", "diabetes zq"),
    "input text": Planted('{"input_text": "diabetes zq"}', "diabetes zq"),
    "aws key and its secret": Planted(
        "AKIAQ3EGRIX7TESTKEYZ wJalr9UtnFEMI/K7MDENGsbPxRfiCYzTESTKEY00", "wJalr9UtnFEMI/K7"
    ),
    "grafana token": Planted("glc_eyJvIjoiMTIzNDU2IiwibiI6InRlc3QifQ==", "MTIzNDU2"),
    "user and host": Planted("user=minjaekim@npu-rack7", "npu-rack7"),
    "IPv4 in brackets": Planted("peer<10.21.32.45:8000>", "10.21.32.45"),
    "IPv4 under a bracket": Planted("<a>\n10.21.32.46 refused", "10.21.32.46"),
    "cookie": Planted("Cookie: session=9f8e7d6c5b4a; theme=dark", "9f8e7d6c5b4a"),
    "cookie that is set": Planted("set-cookie: sid=s%3AaBcDeFgH; Path=/", "aBcDeFgH"),
    "private key": Planted(
        f"-----BEGIN RSA PRIVATE KEY-----\\n{KEY_LINES[0]}\\n{KEY_LINES[1]}\\n-----END RSA PRIVATE KEY-----",
        KEY_LINES[1],
    ),
    "e-mail": Planted("minjae.kim@startup.example.co.kr", "minjae.kim"),
    "IPv4": Planted("10.21.32.43", "10.21.32.43"),
    "IPv6": Planted("2001:db8:85a3::8a2e:370:7334", "85a3::8a2e"),
    "MAC": Planted("52:54:00:ab:cd:ef", "52:54:00:ab:cd:ef"),
    "home": Planted("/home/minjaekim/models/qwen", "minjaekim"),
    "home on a Mac": Planted("/Users/minjaekim/models/qwen", "minjaekim"),
    "home on Windows": Planted("C:\\Users\\minjaekim\\models\\qwen", "minjaekim"),
    "host in a URL": Planted("http://artifactory-seoul:8081/models", "artifactory-seoul"),
    "host name": Planted("npu-rack7.dc1.startup.kr", "npu-rack7"),
    "host of a cluster": Planted("vllm.prod-seoul.svc.cluster.local", "prod-seoul"),
    "host and user": Planted("minjaekim@npu-rack7:~/run$", "npu-rack7"),
    "user": Planted("USER=minjaekim", "minjaekim"),
    "pod": Planted("vllm-qwen-7d9f8b6c5d-x2x4z", "7d9f8b6c5d-x2x4z"),
    "mobile number": Planted("010-9876-5432", "9876-5432"),
    "number with a country": Planted("+82-2-555-0199", "555-0199"),
    "resident registration number": Planted("900101-1234567", "1234567"),
    "prompt": Planted("prompt: 'the merger with Foo is off'", "merger with Foo"),
    "chat message": Planted('{"role": "user", "content": "the merger with Foo is off"}', "merger with Foo"),
    "prompt of a template": Planted("<|im_start|>user\\nthe merger with Foo is off<|im_end|>", "merger with Foo"),
    "token ids of a prompt": Planted("prompt_token_ids: [1782, 18150, 449, 34528]", "18150"),
}

HARMLESS = (
    "max_num_batched_tokens=4096 token count 131072, 3 tokens left",
    "ValueError: `max_seq_len` (100000) must be a multiple of `kvcache_partition_len` (16384)",
    "tokenizer='Qwen/Qwen3-VL-8B-Instruct', trust_remote_code=False, api_key=None, eos_token='<|im_end|>'",
    "vllm-rbln 0.12.0.1, cudnn 9.1.0.70, nvidia-cudnn-cu12==9.1.0.70, driver version: 1.3.73.1, firmware 2.1.0.4",
    "http://0.0.0.0:8000/v1 http://127.0.0.1:8000 http://localhost:8000 ::1",
    "https://huggingface.co/Qwen/Qwen3 https://github.com/vllm-project/vllm/pull/12345 https://docs.rbln.ai/latest",
    "sha 9fceb02d0ae598e95dc970b74767f19372d61af8 kb 192e265f35ca7c8a id 6f1ed002-ab55-9585-9014-ebf0951522d9",
    "rbln0 rbln31 RBLN-CA25 RBLN-CR13 /dev/rbln0 0000:3b:00.0 device: [0, 1, 2, 3]",
    "the peer tensor-parallel size 16; a peer pipeline-parallel rank",
    "torch.nn.functional vllm.v1.engine.core optimum.rbln.modeling_base rbln_config.json libtorch.so.2 core.py:1366",
    "(EngineCore pid=4242) ERROR 11-29 08:07:35 [core.py:1366] 2026-11-29T08:07:35.123Z 12:34:56",
    "/opt/venv/lib/python3.11/site-packages/vllm/v1/engine/core.py /root/.cache/huggingface/hub /models/out",
    "hf_overrides hf_hub_download sk-learn task-specific token_type_ids password_hash_function",
    "requested 39163045120 bytes, capacity 38654705664 bytes; epoch 1732860000000; 0x7f3a2b1c4d5e; -1234567",
    "비밀번호는 필수 항목입니다. 토큰이 없습니다, 키 값: 17, fuse_pass=12layers_attention, compile_pass: lower2ir",
    "mysql -u root -p; vllm > 0.12.0.1 and torch <2.9.1.0; docker login --help; rbln-ci -p 8000",
    "[conda] nvidia-cudnn-cu12 9.1.0.70 pypi_0 pypi, nvidia-curand-cu12       10.3.9.90",
    "driver updated from 1.3.73.1 to 1.4.0.2; versions 1.2.3.4, 1.2.3.5 and 1.2.3.6; (>=0.8.1.2,<0.9.0.0)",
    "rebel_compiler-0.8.1.2-cp310-linux_x86_64.whl rblnfw-1.2.3.4.tar.gz Python 3.10.12.1 GCC 11.4.0.1 cudnn=9.1.0.70",
    "vllm > 0.12.0.1, torch >=2.9.1.0, <2.10.0.0, v1.2.3.4 'driver_version': '1.3.73.1' libfoo-1.2.3.4.so",
    "torch.jit::load c10::cuda 1:2:3:4:5:6:7:8 bdf=0000:3b:00.0 pci:0000:d8:00.1 C:\\new\\test x\\ny 100%|##| 50% off",
    "std::vector<c10::Error> at::native 11-29 2026-11-29 1-2-3 100-200 16384-32768",
)
"""What a diagnosis needs, or is of nobody."""
