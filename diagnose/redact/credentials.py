"""Credentials that are known by how they begin, and private keys. Shapes: the issuers' public documentation."""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.redact.public import is_nobody
from diagnose.redact.rule import Rule

_B: Final = r"(?<![A-Za-z0-9])"


def _mixed(found: Any) -> bool:
    """A digit or a capital behind the prefix: ``hf_transformersconfiguration`` is a name, no token."""
    return re.search(r"[0-9A-Z]", found["c"]) is not None or len(found["c"]) > 29


def _has_digit(found: Any) -> bool:
    """``sk-learn-contrib-extensions`` is a name; without a digit it takes the length and no hyphen."""
    return any(map(str.isdigit, found[0])) or bool(re.fullmatch(r"sk-[A-Za-z]{24,}", found[0]))


def _varied(found: Any) -> bool:
    """Both cases and digits behind a prefix that is short."""
    return all(re.search(letters, found[0][4:]) for letters in ("[a-z]", "[A-Z]", "[0-9]"))


def _is_base64(found: Any) -> bool:
    """Both cases and digits, hardly a slash: neither a hash nor a path."""
    text = found[0]
    varied = all(re.search(letters, text) for letters in ("[a-z]", "[A-Z]", "[0-9]"))
    return varied and text.count("/") * 10 <= len(text)


def _token(kind: str, *shapes: str, hints: tuple[str, ...]) -> Rule:
    return Rule(kind, _B + f"(?:{'|'.join(shapes)})", hints, learn=True)


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "private-key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:(?!-----BEGIN)[\s\S]){1,16000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:(?:\\[nr]|\s){0,8}[A-Za-z0-9+/=]{16,})*+)",
        ("private key",),
    ),
    # What is left of one when every line has a prefix of its own, or the first lines are cut away.
    Rule(
        "secret",
        r"(?<![\w+/.=-])(?<!;base64,)[A-Za-z0-9+][A-Za-z0-9+/]{59,}+={0,2}(?![\w.-])",
        (),
        _is_base64,
        True,
        r"[A-Za-z0-9+/]{60}",
    ),
    Rule(
        "secret",
        r"(?m)^[^\n]{0,200}?(?P<x>[A-Za-z0-9+/]{4,64}={0,2})\s{0,4}"
        r"(?=\n(?![^\n]{0,200}-----BEGIN )[^\n]{0,200}-----END )",
        ("-----end ",),
    ),
    # A public key tells who somebody is everywhere it was put.
    Rule(
        "ssh-key",
        r"(?<![\w-])(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}|sk-(?:ssh|ecdsa)[\w-]{1,30}(?:@openssh\.com)?) "
        r"(?P<x>AAAA[A-Za-z0-9+/]{16,}={0,3})",
        (" aaaa",),
    ),
    Rule(
        "user",
        r"(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}) (?:AAAA[A-Za-z0-9+/]{16,}={0,3}|<[\w-]{1,20}>)"
        r" (?P<x>[\w.+<>-]{1,64}@[\w.<>-]{1,120})",
        ("ssh-", "ecdsa-"),
    ),
    # Behind the key stands whose it is, also without a machine.
    Rule(
        "user",
        r"(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}) (?:AAAA[A-Za-z0-9+/]{16,}={0,3}|<ssh-key(?:-\d{1,5})?>)"
        r" (?P<x>[A-Za-z_][\w.-]{0,62}\w)(?=[,;'\")\]}]|\s{0,3}(?:$|\n|\\[nr]))",
        ("ssh-", "ecdsa-"),
        lambda m: not is_nobody(m["x"]),
        needs=r" (?:AAAA[A-Za-z0-9+/]{16}|<ssh-key)",
    ),
    Rule("jwt", _B + r"eyJ[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]*+)?", ("eyj",), learn=True),
    Rule("hf-token", _B + r"(?:hf_(?:oauth_|jwt_)?|api_org_)(?P<c>[A-Za-z0-9]{12,}+)", ("hf_", "api_org_"), _mixed),
    _token("anthropic-key", r"sk-ant-[\w-]{12,}", hints=("sk-ant-",)),
    Rule("openai-key", _B + r"sk-(?!ant-)[\w-]{14,}+", ("sk-",), _has_digit, learn=True),
    _token(
        "aws-key",
        r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{12,}",
        hints=("akia", "asia", "abia", "acca", "aroa", "aida"),
    ),
    # Its other half has no prefix: known by where it stands.
    Rule(
        "aws-key",
        r"(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}[\s:,;'\"=/-]{1,20}(?P<x>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])",
        ("akia", "asia"),
        learn=True,
    ),
    _token(
        "gcp-key", r"AIza[\w-]{20,}", r"ya29\.[\w.-]{16,}", r"GOCSPX-[\w-]{16,}", hints=("aiza", "ya29.", "gocspx-")
    ),
    _token("azure-key", r"[\w~.-]{3}8Q~[\w~.-]{24,}", hints=("8q~",)),
    Rule(
        "azure-key",
        r"(?i)(?:AccountKey|SharedAccess(?:Key|Signature))=(?P<x>[^;\s'\"<>\[^]{8,})",
        ("accountkey=", "sharedaccess"),
        learn=True,
    ),
    _token(
        "github-token",
        r"gh[pousr]_[A-Za-z0-9]{12,}",
        r"github_pat_\w{16,}",
        hints=("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    ),
    _token(
        "gitlab-token",
        r"gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[\w.-]{12,}",
        r"GR1348941[\w-]{16,}",
        hints=(
            "glpat-",
            "gldt-",
            "glrt",
            "glcbt-",
            "glptt-",
            "glft-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glsoat-",
            "glffct-",
            "glwt-",
            "gr1348941",
        ),
    ),
    _token(
        "slack-token",
        r"xox[abceoprsd](?:\.[a-z0-9]+)?-[\w-]{8,}",
        r"x(?:app|wfp)-[\w-]{8,}",
        hints=("xox", "xapp-", "xwfp-"),
    ),
    Rule("webhook", r"(?i)hooks\.slack\.com/(?P<x>[\w/+-]{8,})", ("hooks.slack.com",), learn=True),
    Rule("webhook", r"(?i)discord(?:app)?\.com/api/webhooks/(?P<x>[\w/-]{8,})", ("/api/webhooks/",), learn=True),
    Rule("webhook", r"(?i)webhook\.office\.com/(?P<x>[^\s'\"]{8,})", ("webhook.office.com",), learn=True),
    Rule("telegram-token", r"(?<!\d)\d{8,10}:AA[\w-]{30,}+", (":aa",), learn=True),
    _token("wandb-key", r"wandb_v\d_\w{16,}", hints=("wandb_v",)),
    Rule("wandb-key", _B + r"local-[0-9a-f]{40}(?![0-9a-f])", ("local-",), learn=True, needs=r"local-[0-9a-f]{40}"),
    Rule(
        "wandb-key", r"(?i)wandb[\w .:=\"'-]{1,40}?(?<![0-9a-f])(?P<x>[0-9a-f]{40})(?![0-9a-f])", ("wandb",), learn=True
    ),
    _token("nvidia-key", r"nvapi-[\w-]{12,}", hints=("nvapi-",)),
    _token("npm-token", r"npm_[A-Za-z0-9]{30,}", hints=("npm_",)),
    _token("pypi-token", r"pypi-[A-Za-z0-9_-]{50,}", r"pypi-AgE[\w-]{16,}", hints=("pypi-",)),
    _token("docker-token", r"dckr_(?:pat|oat)_[\w-]{16,}", hints=("dckr_",)),
    _token("stripe-key", r"[sr]k_(?:live|test)_[A-Za-z0-9]{12,}", hints=("k_live_", "k_test_")),
    _token("sendgrid-key", r"SG\.[\w-]{12,}\.[\w-]{12,}", hints=("sg.",)),
    _token("databricks-token", r"dapi[0-9a-f]{32}(?:-\d)?", hints=("dapi",)),
    _token("vault-token", r"hv[sbr]\.[\w-]{20,}", hints=("hvs.", "hvb.", "hvr.")),
    Rule("api-key", _B + r"(?:fw_|org-)[A-Za-z0-9]{20,}", ("fw_", "org-"), _varied, learn=True),
    _token(
        "api-key",
        *(r"gsk_[A-Za-z0-9]{30,}", r"r8_[A-Za-z0-9]{30,}", r"pplx-[A-Za-z0-9]{30,}", r"xai-[A-Za-z0-9]{30,}"),
        *(
            r"tskey-[\w-]{16,}",
            r"dop_v1_[0-9a-f]{40,}",
            r"ATATT3[\w=-]{20,}",
            r"lin_api_\w{20,}",
            r"AGE-SECRET-KEY-1\w{20,}",
            r"glsa_[A-Za-z0-9]{20,}(?:_[0-9a-f]{8})?",
            r"glc_eyJ[A-Za-z0-9+/]{16,}={0,2}",
            r"lsv2_(?:pt|sk)_\w{20,}",
            r"tvly-[\w-]{12,}",
            r"pcsk_\w{20,}",
            r"NRAK-[A-Z0-9]{20,}",
            r"sntry[su]_[\w=+/-]{16,}",
            r"ntn_[A-Za-z0-9]{20,}",
            r"figd_[\w-]{20,}",
            r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{24,}",
            r"sess-[A-Za-z0-9]{30,}",
            r"api_[A-Za-z]{34}(?![A-Za-z0-9])",
            r"v1\.[0-9a-f]{40}(?![0-9a-f])",
        ),
        hints=(
            "glsa_",
            *("lsv2_", "tvly-", "pcsk_", "nrak-", "sntrys_", "sntryu_", "ntn_", "figd_", "shp", "sess-", "api_", "v1."),
            "glc_ey",
            "gsk_",
            "r8_",
            "pplx-",
            "xai-",
            "tskey-",
            "dop_v1_",
            "atatt3",
            "lin_api_",
            "age-secret-key-",
        ),
    ),
)
