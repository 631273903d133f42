"""What a person asked the model: prompts, chat messages, token ids, generated text."""

from __future__ import annotations

from typing import Final

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
