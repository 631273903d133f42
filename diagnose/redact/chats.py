"""What a person asked the model, under names that carry other things too: it has to read like a sentence.

Shapes: OpenAI's requests and answers, Hugging Face's pipelines and tokenizers, OpenTelemetry's conventions for
generative AI, pydantic's errors.
"""

from __future__ import annotations

from typing import Final

from diagnose.redact.rule import Rule
from diagnose.redact.said import ASSIGN, LITERAL, asked, sentence, spoken, two_words

_SAID: Final = rf"(?:\[\s{{0,20}})?(?P<x>{LITERAL}(?:\s{{0,2}},\s{{0,2}}{LITERAL}(?!\s{{0,2}}:))*+)"
_NAMES: Final = (
    r"(?:questions?|instructions?|completions?|reasoning|last_message|answers?|transcript|chat[_ ]message"
    r"|User|Human|Assistant|AI|Bot|prompt: str)"
)
_OPEN_NAMES: Final = r"(?:texts?|query|queries|documents?|passages?|response|inputs?|outputs?|(?:input_)?value|q)"
"""They hold messages of programs as often as words of a person."""
_SPACED: Final = r"[:=]\s{0,2}(?:\[\s{0,20})?\\?['\"][^\s'\"]+ \S"
_CALLS: Final = (
    r"(?:llm\.(?:generate|chat|encode|embed)|(?:tokenizer|tokenize|processor)(?:\.(?:encode|tokenize|__call__))?|pipe|pipeline"
    r"|generator|model\.(?:chat|generate|encode)|chat|ask|generate)\(\s{0,20}(?:tokenizer,\s{0,2})?(?:\w{1,20}=)?"
)
_REST: Final = r"(?P<x>[^\s'\"\[{<(=\\|#][^\n\\]{2,20000}?)(?=\)?\s{0,4}(?:\n|\\n|$))"

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "prompt",
        rf"(?i)(?<![\w.-]){_NAMES}{ASSIGN}{_SAID}",
        (
            *("question", "instruction", "completion", "reasoning", "last_message", "answer", "transcript"),
            *("chat message", "chat_message", "user", "human", "assistant", "ai:", "bot", "prompt: str"),
        ),
        sentence,
        needs=_SPACED,
    ),
    Rule(
        "prompt",
        rf"(?i)(?<![\w.-]){_OPEN_NAMES}{ASSIGN}{_SAID}",
        ("text", "quer", "document", "passage", "response", "input", "output", "value", "q:", 'q"', "q=", "q'"),
        asked,
        needs=_SPACED,
    ),
    # Quoted over several lines, none of which a program wrote.
    Rule(
        "prompt",
        r"(?i)(?<![\w-])(?:[a-z_]{0,20}prompt|content|question|instruction)\s?[=:]\s?"
        r"(?P<x>\"[^\"\n]{2,4000}"
        r"(?:\n(?!Traceback|\s{2}|\(|\[|\d\d[\d:-]|(?-i:[A-Z]{4,8}) |[\w.]{0,80}(?:Error|Exception)\b)"
        r"[^\"\n]{0,4000}){1,60}\")(?!\w)",
        ("prompt", "content", "question", "instruction"),
        lambda m: two_words(m["x"]),
        needs=r"(?i)(?:prompt|content|question|instruction)\s?[=:]\s?\"[^\"\n]*\n",
    ),
    # What a validator got and did not take, also where it asks for nothing.
    Rule("prompt", rf"(?<![\w.-])input_value={_SAID}(?=, input_type=)", ("input_value=",), sentence),
    Rule("prompt", rf"(?<![\w.]){_CALLS}{_SAID}", ("(",), sentence, needs=r"[a-z]\([^()'\"\n]{0,40}['\"][^\s'\"]+ \S"),
    Rule(
        "prompt",
        rf"(?<![\w-])--(?:prompt|input|text|query|question|instruction|message)[= ](?P<x>{LITERAL})",
        ("--prompt", "--input", "--text", "--query", "--question", "--instruction", "--message"),
        sentence,
    ),
    Rule(
        "prompt",
        rf"(?i)(?<![\w.-])(?:gen_ai\.(?:prompt|completion|input|output)|llm\.(?:prompts?|completions?|input_messages|output_messages)"
        rf"|(?:input|output)\.value)[\w.]{{0,60}}\s?[=:]\s?(?:Str\()?{_REST}",
        ("gen_ai.", "llm.", "input.value", "output.value"),
        spoken,
    ),
    # A chat written line by line, in YAML, as the templates of Alpaca and its relatives have it.
    Rule("prompt", rf"(?i)(?<![\w-])role: \w{{2,12}}\n[ \t]{{0,20}}content: {_REST}", ("role:",), spoken),
    Rule(
        "prompt",
        rf"(?i)(?<![\w.-])prompts?:[ \t]{{0,2}}(?:[|>][-+]?)?\n[ \t]{{1,20}}(?:- )?{_REST}",
        ("prompt",),
        sentence,
    ),
    Rule(
        "prompt",
        rf"### (?:Instruction|Input|Response|User|Human|Assistant|System):\s{{0,2}}(?:\n|\\n){_REST}",
        ("### ",),
        spoken,
    ),
    Rule(
        "prompt",
        rf"(?:^|\n|<)(?:Q|AI|Bot|Generated|Answer|answer|user|human|User asked|응답|요청 내용)>?:[ \t]{{1,2}}{_REST}",
        ("q:", "ai:", "bot:", "generated:", "answer:", "user:", "human:", "human>", "asked:", "응답", "요청 내용"),
        sentence,
    ),
    Rule("prompt", r"<｜User｜>(?P<x>[^<]{1,20000}+)(?=<｜Assistant｜>)", ("<｜user｜>",)),
)
