"""What a person asked the model: prompts, chat messages, token ids, generated text."""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.late import late
from diagnose.redact.rule import Rule

_SINGLE: Final = r"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'"
_DOUBLE: Final = r"\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\""
_ESCAPED: Final = r"\\\"(?:[^\"\\\n]|\\\\\\\"|\\(?!\"))*+\\\""
_LITERAL: Final = rf"(?:{_SINGLE}|{_DOUBLE}|{_ESCAPED})"
# A literal is whole when something that may follow a value follows it; else the rest of the line is taken.
_WHOLE: Final = rf"{_LITERAL}(?:\s{{0,2}},\s{{0,2}}{_LITERAL}(?!\s{{0,2}}:))*+(?=\s{{0,3}}(?:[,)\]}}.]|\\n|\n|$))"
_VALUE: Final = rf"(?:\[\s{{0,2}})?(?P<x>{_WHOLE}|\\?['\"][^\n]++)"
_ASSIGN: Final = r"\\?['\"]?\s{0,2}[:=]\s{0,2}"

_TURNS: Final = (
    (r"<\|im_start\|>", r"<\|im_end\|>", "<|im_start|>"),
    (r"<\|end_header_id\|>", r"<\|eot_id\|>", "<|end_header_id|>"),
    (r"<start_of_turn>", r"<end_of_turn>", "<start_of_turn>"),
    (r"\[INST\]", r"\[/INST\]", "[inst]"),
)
"""How the chat templates of Qwen, Llama, Gemma and Mistral begin and end what somebody said."""

_OPENS: Final = r"(?:^|\n|\\[nrt]|[])>:;,|'\"`(\[{#$+!“→=-] ?|(?<=\dZ) |(?<= [FP]) |\t|\u001b\[0m)"
"""Where a message begins, or a field of it."""
_STOP: Final = (
    r"(?=\s{0,4}(?:\n|\\n|$|,\s?(?:params|sampling_params|prompt_token_ids|lora_request|generated[ _]text"
    r"|multi_modal_data|priority|arrival_time)\b))"
)
_SENTENCE: Final = rf"(?P<x>[^\s'\"\[{{<(=\\][^\n\\]{{2,20000}}?){_STOP}"
_NO_WORDS: Final = late(
    r"(?i)(?:none|null|true|false|\d|<\w+-\d+>$|too (?:long|large|short)|length|len\b|tokens?\b|throughput|must"
    r"|is |are |has |was |not |cannot"
    r"|exceeds|longer|invalid|missing|expected|got|(?:\S+ ){0,2}(?:is not|does not|not found|not allowed"
    r"|not authorized|has no|was not|cannot|permission|denied|failed)\b|\S+\s?=|\S+:\s|\S*/\S*\s|0x)"
)
"""What a program says of a prompt."""


def _spoken(found: Any) -> bool:
    """Words of a person: two or more of them, and no word about them."""
    said = found["x"].strip()
    return bool(re.search(r"[^\W\d_]\S*\s+\S*[^\W\d_]", said)) and not _NO_WORDS.match(said)


def _quoted(found: Any) -> bool:
    """A list of what was said, or words: no variable of a source line."""
    said = found["x"]
    return bool(re.search(r"[^\W\d_]\s+\S{0,3}[^\W\d_]", said)) and (said[0] == "[" or not _NO_WORDS.match(said))


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "prompt",
        rf"(?i)(?<![\w-])(?:[a-z_]{{0,20}}prompts?|prompt[_ ]text|generated[_ ]texts?|content|reasoning_content"
        r"|(?:input|user)_(?:text|input|message))"
        rf"{_ASSIGN}{_VALUE}",
        ("prompt", "generated", "content", "_text", "_input", "_message"),
    ),
    Rule(
        "prompt",
        rf"(?i)['\"]type\\?['\"]\s?:\s?\\?['\"](?:input_)?text\\?['\"],\s?\\?['\"]text{_ASSIGN}{_VALUE}",
        ('"text', "'text"),
    ),
    Rule(
        "prompt",
        rf"\b\w{{0,40}}(?:Request|Prompt|Message|Input|Chunk|Delta)\([^()\n]{{0,200}}?(?:text|query|body)={_VALUE}",
        ("text=", "query=", "body="),
    ),
    # How vLLM prints what a model said.
    Rule("prompt", rf"CompletionOutput\([^()\n]{{0,80}}?text={_VALUE}", ("completionoutput",)),
    Rule(
        "prompt",
        rf"(?i)['\"](?:input|query|documents?){_ASSIGN}(?=\\?['\"]|\[\s?\\?['\"]){_VALUE}",
        ("input", "query", "document"),
        lambda m: len(m["x"]) > 18,
    ),
    Rule(
        "prompt",
        r"(?i)(?<![\w-])(?:prompt|output|all)_token_ids" + _ASSIGN + r"\[(?P<x>[\d\s,.]{1,400000}+)",
        ("_token_ids",),
        lambda m: bool(m["x"].strip()),
    ),
    # A prompt without quotes: as a script prints it, as a server logs it.
    Rule(
        "prompt",
        rf"(?i){_OPENS}(?:(?:(?:system |user |input |final |full |raw )?prompt|question|instruction"
        rf"|query)\s?[:=]|(?:(?-i:User|USER)(?: message| input)?|(?-i:H(?:uman|UMAN))|(?-i:A(?:ssistant"
        rf"|SSISTANT))|(?<=\n)(?:user|human|assistant)"
        rf"|프롬프트|질문|답변|사용자|입력\s?문장)\s?:)[ \t]{{0,2}}{_SENTENCE}",
        (
            "prompt",
            "question",
            "instruction",
            "query",
            "user",
            "human",
            "assistant",
            "프롬프트",
            "질문",
            "답변",
            "사용자",
            "입력",
        ),
        _spoken,
    ),
    Rule(
        "prompt",
        rf"(?:프롬프트|질문|답변){_ASSIGN}{_VALUE}",
        ("프롬프트", "질문", "답변"),
    ),
    Rule(
        "prompt",
        r"(?i)(?<![\w.-])(?:messages|conversation|chat_history)\s?[:=]\s?"
        r"(?P<x>\[(?:[^\[\]\n]|\[[^\[\]\n]{0,4000}\]){3,40000}+\]|(?=[^\W\d_]\S*\s+[^\W\d_])[^\n\\\[({=]{6,20000})",
        ("messages", "conversation", "chat_history"),
        _quoted,
    ),
    *(
        Rule("prompt", rf"{begin}(?P<x>(?:(?!{begin}|{end})[\s\S]){{1,20000}}+)(?={end})", (hint,))
        for begin, end, hint in _TURNS
    ),
    # A turn that was cut off: the rest of its line, unless it is the empty one the model is to fill.
    *(
        Rule("prompt", rf"{begin}(?P<x>(?!\s*(?:\\n)?(?:assistant|model)\b)[^\n]*?)(?={end}|\n|$)", (hint,))
        for begin, end, hint in _TURNS
    ),
)
