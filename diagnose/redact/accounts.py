"""Who it was, as servers, CI jobs and schedulers write it: sudo, PAM, sshd, logind, Slurm, Jenkins, GitHub, git.

Shapes: ``sshd(8)``, ``pam_unix(8)``, ``squeue(1)``, ``top(1)``, ``lsof(8)``, ``passwd(5)``, the Common Log Format, the
predefined variables of GitHub Actions, GitLab CI and Jenkins.
"""

from __future__ import annotations

from typing import Any, Final

from diagnose.late import late
from diagnose.redact.public import is_nobody
from diagnose.redact.rule import Rule

_NAME: Final = r"(?P<x>[A-Za-z_][\w.-]{0,38}\w)"
_FULL: Final = r"(?P<x>[A-Z][\w.-]{1,30}(?: [A-Z][\w.-]{0,30}\w){1,2}|[가-힣]{2,4}(?![가-힣]))"
"""First and last name, or a Korean one."""
_ANY_NAME: Final = rf"(?:{_FULL}|{_NAME})"
_ENDS: Final = r"(?=[ \t]{0,4}(?:$|\n|\\n|[.,;'\"()\[]))"
_WORDS: Final = late(
    r"(?i)(?:an?|the|this|that|it|is|was|not|no|int|str|bool|bytes|optional|required|unset|missing|invalid|self|cls|user"
    r"|(?:user|author|actor|created|submitted)_?\w{0,12}|push|schedule|cron|timer|webhook|api|web|merge_request\w*"
    r"|pull_request\w*|workflow_\w+|pipeline|trigger|upstream|remote|scm|change|release|manual|error|exception|signal"
    r"|timeout|default_user|process|thread|request|server|client|model|engine|worker|kernel|systemd|host|local|bot"
    r"|string|text|value|field|uuid|integer|number|empty|dependabot\S*|github-actions\S*|renovate\S*"
    r"|(?:self|args|request|req|config|cfg|os|settings|ctx|context|data|user|obj|event)\.\S+)"
)
"""Fullmatch: what stands where a name may stand."""
_FIELDS: Final = (
    r"(?:(?:GITHUB|GITLAB|CI)_(?:TRIGGERING_)?ACTOR|GITLAB_USER_(?:LOGIN|NAME)|BUILD_USER(?:_ID|_FIRST_NAME|_LAST_NAME)?"
    r"|CHANGE_AUTHOR(?:_DISPLAY_NAME)?|CI_COMMIT_AUTHOR|GIT_(?:AUTHOR|COMMITTER)_NAME"
    r"|(?:SLURM_JOB|JUPYTERHUB|NB|REMOTE|END|RUN_AS|MAIL|LOGIN|JOB|OS)[_-]?USER"
    r"|(?:author|committer|reviewer|assignee|submitter|sender|owner)[_-]?(?:name|login)"
    r"|(?:created|updated|modified|submitted|requested|triggered|started|approved|uploaded|launched)[_-]by"
    r"|user[_-]?id|user\.(?:name|login|id)|submitter|requester|assignee|approver|reporter"
    r"|(?<=\")(?:actor|author)(?=\"))"
)
_FIELD_HINTS: Final = (
    *("_actor", '"actor"', '"author"', "_user", "-user", "user_", "userid", "user.", "author", "committer", "_name"),
    *("_login", "_by", "-by", "submitter", "requester", "assignee", "approver", "reporter", "enduser", "user-"),
)
_FIELD_ENDS: Final = r"(?i)(?:actor|author|user|name|id|login|by|ter|ver|signee)\\?['\"]?\s{0,2}[:=]"
_IN_QUOTES: Final = r"(?:\\?'(?P<x>[^'\\\n<>{}=:/]{2,60})\\?'|\\?\"(?P<x>[^\"\\\n<>{}=:/]{2,60})\\?\")"


def is_name(found: Any) -> bool:
    """Somebody's: no user every system has, no word."""
    name = found["x"]
    return not is_nobody(name) and not _WORDS.fullmatch(name)


def _is_value(found: Any) -> bool:
    """Behind a colon without quotation marks it has to be all there is: ``user id: not allowed`` is a sentence."""
    if not is_name(found):
        return False
    behind = found.string[found.end() : found.end() + 2]
    if found["is"] == "=":
        return behind[:1] not in ("(", "[", "/", "=")
    return found[0][-1] in "'\"" or behind.strip() == "" or behind[0] in "\n,;}'\""


_KOREAN_WORDS: Final = frozenset(
    {
        *("모델", "서버", "노드", "장치", "장비", "이미지", "주소", "서비스", "전체", "공통", "기본", "기본값", "없음"),
        *(
            "미정",
            "고객",
            "고객사",
            "시스템",
            "관리자",
            "사용자",
            "담당자",
            "설정",
            "정보",
            "변수",
            "선택",
            "지정",
            "변경",
        ),
        *(
            "확인",
            "필요",
            "오류",
            "문서",
            "함수",
            "인자",
            "연산",
            "연산자",
            "이름",
            "한글",
            "영문",
            "전달",
            "유효",
            "무효",
        ),
    }
)
_SURNAMES: Final = (
    "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유"
    "남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설"
)
"""Family names of more than 99 of 100 Koreans (2015 census, KOSIS)."""


def _is_korean(found: Any) -> bool:
    name = found["x"]
    if not "가" <= name[0] <= "힣":
        return is_name(found)
    return name[0] in _SURNAMES and name not in _KOREAN_WORDS


_PHRASES: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    # before the name, behind it, hints
    (r"session (?:opened|closed) for user ", r"(?=[\s(.,]|$)", ("for user ",)),
    (r"(?:by|user|for) ", r"(?=\(uid=\d)", ("(uid=",)),
    (r"(?:accepted|failed|postponed) [\w/-]{1,30} for (?:invalid user )?", r"(?= from )", (" for ",)),
    (r"(?:invalid|authenticating|illegal) user ", r"(?= (?:from )?[\d<\[a-f:])", (" user ",)),
    (r"session \S{1,12} of user ", r"(?=[.\s]|$)", (" of user ",)),
    (r"user slice of ", r"(?=[.\s]|$)", ("slice of ",)),
    (r"authenticating (?:to \S{1,130} )?as '", r"(?=')", (" as '", "authenticating as")),
    (r"logged in as:? ", r"(?=[.\s]|$)", ("logged in as",)),
    (r"username for '[^'\n]{1,200}': ", _ENDS, ("username for",)),
    (r"permission to \S{1,200} denied to ", _ENDS, ("denied to ",)),
    (r"assumed-role/[\w+=,.@<>-]{1,64}/", r"(?![\w@/])", ("assumed-role/",)),
    (r"(?:userid|groupid|user|group)=", r"(?=\(\d{1,10}\))", ("id=", "user=", "group=")),
    (r"chown (?:-\w{1,10} ){0,3}(?:[\w.<>-]{1,40}:)?", r"(?=:|\s[\w/.~<*])", ("chown ",)),
    (r"\b(?:ssh|scp|rsh) (?:-[A-Za-z]+ ){0,3}-l ", r"(?=\s)", (" -l ",)),
    (r"\buser ", r"(?= is not in the (?:\w+ group|sudoers))", ("is not in the",)),
    (r"getpwnam[^\n'\"]{0,60}['\"]", r"(?=['\"])", ("getpwnam",)),
    (r"whoami\s{0,2}\n", r"(?=\s{0,2}(?:\n|$))", ("whoami",)),
    (r"(?<!\w)\(", r"(?=@[\w.<>-]{1,100}\) password:)", (") password:",)),
)
_BY: Final = (
    r"(?:(?:Started|Triggered|Submitted|Requested|Launched|Approved|Cancell?ed|Aborted|Created|Deployed|Reviewed"
    r"|Reported|Executed)"
    r" by(?: user)?:?|(?:Submitter|Requester|Assignee|Approver|Reporter):) "
)
_BY_ENDS: Final = r"ed by(?: user)?:? |(?:er|ee): "

RULES: Final[tuple[Rule, ...]] = (
    *(Rule("user", rf"(?i:{before}){_NAME}(?i:{behind})", hints, is_name) for before, behind, hints in _PHRASES),
    Rule(
        "user",
        rf"(?i:(?<![A-Za-z0-9.]){_FIELDS}\\?['\"]?\s{{0,2}}(?P<is>[:=])\s{{0,2}}){_IN_QUOTES}",
        _FIELD_HINTS,
        _is_value,
        needs=_FIELD_ENDS,
    ),
    Rule(
        "user",
        rf"(?i:(?<![A-Za-z0-9.]){_FIELDS}\\?['\"]?\s{{0,2}}(?P<is>[:=])[ \t]{{0,2}}){_ANY_NAME}",
        _FIELD_HINTS,
        _is_value,
        needs=_FIELD_ENDS,
    ),
    # Jenkins writes both: Started by user Kim Minjun (mjkim)
    Rule("user", rf"(?<![\w-]){_BY}{_ANY_NAME}{_ENDS}", (" by", "er: ", "ee: "), is_name, needs=_BY_ENDS),
    Rule("user", rf"(?<![\w-])Started by user [^\n()]{{1,80}}\({_NAME}\)", ("started by user",), is_name),
    Rule("user", rf"logged in as:? [\w.<>-]{{2,40}} \({_NAME}\)", ("logged in as",), is_name),
    Rule(
        "user",
        r"wandb\.ai/(?!(?:site|settings|authorize|wandb|api|docs|home|login)\b)(?P<x>[\w.-]{2,64})(?=/)",
        ("wandb.ai/",),
    ),
    # A repository of one's own on a server that is nobody else's.
    Rule(
        "user",
        r"(?<![\w.+%-])git@(?!(?:[\w-]+\.)?(?:github|gitlab|bitbucket)\.(?:com|org)\b)[\w.<>-]{2,120}:(?P<x>[\w.-]{2,64})(?=/[\w.])",
        ("git@",),
        is_name,
    ),
    # sudo, sudoers, passwd
    Rule(
        "user",
        rf"(?m)(?:^|(?<=: )|(?<=:  )|(?<=:   )){_NAME} : (?:TTY=|\d+ incorrect|command not|user NOT)",
        (" : ",),
        is_name,
    ),
    Rule("user", rf"(?m)(?:^|(?<=\s))%?{_NAME} ALL ?= ?\(", ("all=(", "all = ("), is_name),
    Rule(
        "user",
        rf"(?m)(?:^|(?<=\s)){_NAME}:[x*!]?:\d{{1,10}}:\d{{1,10}}:(?P<x>[^:\n]{{0,80}}):/",
        (":/",),
        is_name,
        needs=r":\d+:\d+:[^:\n]*:/",
    ),
    # A row of squeue, top and lsof; the Common Log Format.
    Rule(
        "user",
        rf"(?m)(?:^"
        rf"|(?<=\s))\d{{1,10}}"
        rf"(?:_\d{{1,8}})?[ \t]{{1,20}}\S{{1,40}}[ \t]{{1,20}}\S{{1,40}}[ \t]{{1,20}}{_NAME}[ \t]{{1,20}}"
        r"(?:R|PD|CG|CD|CA|F|S|TO|NF|OOM|RUNNING|PENDING)[ \t]{1,20}(?:\d{1,3}-)?\d{1,3}:\d\d[\d:]{0,6}[ \t]{1,20}\d",
        (":",),
        is_name,
        needs=r"\s(?:R|PD|CG|CD|CA|F|S|TO|NF|OOM|RUNNING|PENDING)\s+[\d-]+:\d\d",
    ),
    Rule(
        "user",
        rf"(?m)(?:^|(?<=\s))\d{{1,8}}[ \t]{{1,12}}{_NAME}\+?[ \t]{{1,12}}(?:rt|-?\d{{1,3}})[ \t]{{1,12}}-?\d{{1,3}}"
        r"(?:[ \t]{1,12}[\d.]{1,12}[kmgtKMGT]?){2,3}[ \t]{1,12}[SRDZTI][ \t]",
        (".",),
        is_name,
        needs=r"\d[kmgtKMGT]?\s+[SRDZTI]\s+\d",
    ),
    Rule(
        "user",
        rf"(?m)(?:^"
        rf"|(?<=\s))\S{{1,40}}[ \t]{{1,12}}\d{{1,8}}(?:[ \t]{{1,12}}\d{{1,8}})?[ \t]{{1,20}}{_NAME}[ \t]{{1,12}}"
        r"(?:\d{1,5}[urwW-]{1,2}|mem|cwd|rtd|txt|DEL)[ \t]{1,12}(?:REG|DIR|CHR|BLK|FIFO|unix|sock|IPv[46]|a_inode)\b",
        (" reg", " dir", " chr", " blk", " fifo", " unix", " sock", " ipv", " a_inode"),
        is_name,
        needs=r"\s(?:\d+[urwW-]{1,2}|mem|cwd|rtd|txt|DEL)\s+(?:REG|DIR|CHR|BLK|FIFO|unix|sock|IPv|a_inode)",
    ),
    Rule(
        "user", rf" - {_NAME} \[\d\d/[A-Z][a-z]{{2}}/\d{{4}}:", (" - ",), is_name, needs=r"\[\d\d/[A-Z][a-z]{2}/\d{4}:"
    ),
    # A domain of Windows; a letter that begins an escape or a class of a pattern says nothing.
    Rule(
        "user",
        r"(?<![\w\\:/.%$-])[A-Z][A-Z0-9-]{2,14}\\{1,2}(?P<x>(?![abefnrtuvxdswABDSWZ0])[a-z][\w.-]{2,30})(?![\w\\/(*+?{])",
        ("\\",),
        is_name,
        needs=r"[A-Z]{2}\\\\?[a-z]",
    ),
    # Behind a name in Korean stands its particle.
    Rule(
        "user",
        r"(?:사용자|계정)\s(?P<x>[A-Za-z_][\w.-]{1,38}\w)(?=(?:가|이|은|는|님|의|에게|를|을|로)(?![가-힣]))",
        ("사용자 ", "계정 "),
        is_name,
    ),
    Rule(
        "user",
        r"(?<![가-힣])(?:이름|성명|담당자|실행자|등록자|승인자|요청자|작성자|보고자|신청자|수행자|검토자|연락처|고객명|개발자)"
        rf"\s?[:=]\s{{0,2}}['\"]?{_ANY_NAME}(?![가-힣\w(/])",
        ("이름", "성명", "자:", "자 :", "자=", "연락처", "고객명"),
        _is_korean,
    ),
    # Without a sign between: of Hangul, with a surname, and a number of his behind it or nothing.
    Rule(
        "user",
        r"(?<![가-힣])(?:담당자|실행자|작성자|요청자|승인자|신청자)\s(?P<x>[가-힣]{3})"
        r"(?=\s{0,2}(?:[(,.;/'\"]|$|\n)| 입니다|님)",
        ("담당자 ", "실행자 ", "작성자 ", "요청자 ", "승인자 ", "신청자 "),
        _is_korean,
    ),
    Rule(
        "user",
        r"(?<![가-힣\w])(?P<x>[가-힣]{2,4}|[A-Z][a-z-]{1,30}(?: [A-Z][a-z.-]{0,30}){1,2})(?=\s{0,2}<[\w.+%-]{1,64}@)",
        ("@",),
        needs=r"<[\w.+%-]+@",
    ),
)
