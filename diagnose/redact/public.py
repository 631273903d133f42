"""What gives nobody away: well-known hosts, addresses that mean no machine, users every system has."""

from __future__ import annotations

from typing import Final

LATIN: Final = "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
OTHER: Final = "\u0370-\u1fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
"""In a class: letters beyond ASCII. Patterns know ASCII alone, for a Korean particle stands right behind a name."""
DOMAIN: Final = (
    rf"(?:[\w{LATIN}{OTHER}-]{{1,63}}+\.){{1,6}}"
    rf"(?:한국|닷컴|닷넷|삼성|(?![가-힣])[{LATIN}{OTHER}]{{1,24}}(?<![가-힣])|xn--[a-z0-9-]{{2,59}}|[A-Za-z]{{2,24}})"
)
"""Also an internationalised one (RFC 5890). Hangul ones of the root zone (IANA) by name: a particle follows them."""

PUBLIC_HOSTS: Final = frozenset(
    {
        *("huggingface.co", "hf.co", "github.com", "githubusercontent.com", "github.io", "gitlab.com", "bitbucket.org"),
        *("python.org", "anaconda.org", "conda.io", "readthedocs.io"),
        *("rebellions.ai", "rbln.ai", "rebellions.in", "pytorch.org", "vllm.ai", "nvidia.com", "intel.com", "amd.com"),
        *("pydantic.dev", "docker.io", "docker.com", "ghcr.io", "quay.io", "gcr.io", "k8s.io", "kubernetes.io"),
        *("nvcr.io", "public.ecr.aws"),
        *("ubuntu.com", "debian.org", "kernel.org", "gnu.org", "apache.org", "json-schema.org", "oasis-open.org"),
        *("google.com", "googleapis.com", "microsoft.com", "openai.com", "anthropic.com", "modelscope.cn", "wandb.ai"),
        *(
            "stackoverflow.com",
            "wikipedia.org",
            "ietf.org",
            "no-color.org",
            "sphinx-doc.org",
            "tqdm.github.io",
            "ray.io",
        ),
        *("slack.com", "discord.com", "discordapp.com", "office.com", "telegram.org"),
        *("arxiv.org", "doi.org", "onnxruntime.ai", "opensource.org", "example.com"),
        *("tiangolo.com", "sqlalchemy.org", "uvicorn.org", "aiohttp.org", "python-httpx.org", "zeromq.org"),
        *(
            "ollama.com",
            "rust-lang.org",
            "golang.org",
            "llvm.org",
            "mypy-lang.org",
        ),
        *("creativecommons.org", "unicode.org", "iana.org", "schemastore.org", "opentelemetry.io", "prometheus.io"),
        *("numpy.org", "scipy.org", "tensorflow.org", "onnx.ai", "xformers.org", "aka.ms", "w3.org", "grpc.io"),
    }
)
"""They and their subdomains stay."""
LOCAL_HOSTS: Final = frozenset({"localhost", "ip6-localhost", "localhost.localdomain", "host.docker.internal"})
COMMON_USERS: Final = frozenset(
    {
        *("root", "user", "users", "admin", "administrator", "ubuntu", "ec2-user", "debian", "centos", "app", "nobody"),
        *(
            "docker",
            "vllm",
            "runner",
            "jenkins",
            "gitlab-runner",
            "work",
            "shared",
            "public",
            "default",
            "none",
            "null",
        ),
        *(
            "username",
            "name",
            "assistant",
            "system",
            "tool",
            "true",
            "false",
            "node",
            "git",
            "service",
            "www-data",
            "you",
        ),
        *(
            "appuser",
            "nonroot",
            "daemon",
            "guest",
            "test",
            "opc",
            "azureuser",
            "id",
            "agent",
            "defined",
            "error",
            "postgres",
        ),
        # Users that images and distributions make, and groups that own devices.
        *(
            "jovyan",
            "ray",
            "vscode",
            "linuxbrew",
            "coder",
            "codespace",
            "circleci",
            "buildkite-agent",
            "airflow",
            "spark",
        ),
        *(
            "rocky",
            "fedora",
            "ec2user",
            "core",
            "vagrant",
            "pi",
            "slurm",
            "munge",
            "mysql",
            "redis",
            "nginx",
            "ftp",
            "sshd",
        ),
        *(
            "video",
            "render",
            "audio",
            "disk",
            "tty",
            "adm",
            "sudo",
            "wheel",
            "staff",
            "input",
            "kvm",
            "plugdev",
            "nogroup",
        ),
        *(
            "systemd",
            "dbus",
            "messagebus",
            "syslog",
            "polkitd",
            "nfsnobody",
            "bin",
            "sys",
            "mail",
            "man",
            "backup",
            "utmp",
        ),
        *("lp", "games", "uucp", "proxy", "list", "irc", "gnats", "_apt", "avahi", "chrony", "_chrony", "ntp", "rtkit"),
        *("colord", "kernoops", "usbmux", "dnsmasq", "tcpdump", "landscape", "pollinate", "sssd", "rpc", "rpcuser"),
        *("statd", "uuidd", "tss", "lxd", "whoopsie", "systemd-network", "systemd-resolve", "systemd-timesync"),
        *("systemd-oom", "systemd-coredump", "prometheus", "grafana", "telegraf", "message"),
        *("rbln", "rebellions", "anonymous", "unknown", "me", "somebody", "someone", "everyone", "anyone", "n/a", "-"),
    }
)
"""Names of nobody; also the roles of a chat."""


def is_public(host: str) -> bool:
    """Whether ``host`` is or lies below a well-known one, or is this machine for itself."""
    labels = host.lower().strip(".").split(".")
    if ".".join(labels) in LOCAL_HOSTS:
        return True
    return any(".".join(labels[i:]) in PUBLIC_HOSTS for i in range(len(labels)))


def is_nobody(name: str) -> bool:
    """Whether ``name`` is a user every system has, or a number."""
    return name.lower() in COMMON_USERS or name.isdigit()
