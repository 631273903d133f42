"""What a person asked the model: prompts, chat messages, token ids, generated text."""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.redact import chats
from diagnose.redact.rule import Rule
from diagnose.redact.said import ASSIGN, VALUE, quoted, spoken, two_words

_TURNS: Final = (
    (r"<\|im_start\|>", r"<\|im_end\|>", "<|im_start|>"),
    (r"<\|end_header_id\|>", r"<\|eot_id\|>", "<|end_header_id|>"),
    (r"<start_of_turn>", r"<end_of_turn>", "<start_of_turn>"),
    (r"\[INST\]", r"\[/INST\]", "[inst]"),
    (r"<\|(?:user|system|assistant|observation)\|>", r"(?:<\|(?:end|endoftext)\|>|</s>)", "|>"),
    (r"\[\|(?:user|system|assistant)\|\]", r"\[\|endofturn\|\]", "|]"),
    (r"<｜(?:User|Assistant)｜>", r"(?:<｜end▁of▁sentence｜>)", "｜>"),
)
"""How the chat templates of Qwen, Llama, Gemma, Mistral, Phi, GLM, EXAONE and DeepSeek begin and end a turn."""

_OPENS: Final = (
    r"(?:(?:^|\n)(?:[ \t]{1,8}|[*•] |[└├]─ )?"
    r"|\\[nrt]|[])>:;,|'\"`(\[{#$+!“→=│─-] ?|(?<=\dZ) |(?<=\d:\d\d) |\ufeff|(?<= [FP]) |\t|\u001b\[0m)"
)
"""Where a message begins, or a field of it."""
_STOP: Final = (
    r"(?=\s{0,4}(?:\n|\\n|$|,\s?(?:params|sampling_params|prompt_token_ids|lora_request|generated[ _]text"
    r"|multi_modal_data|priority|arrival_time)\b))"
)
_IDS: Final = (
    r"(?P<t>(?:torch\.|np\.)?(?:(?:long)?tensor|array)\(\s{0,4})?\[(?:\s{0,40}\[){0,2}\s{0,40}"
    r"(?P<x>\d(?:(?!(?<![\[,\n])\n|\n[ \t\[]{0,40}\d{1,4}[-:])[\d,.…\[\] \t\n]){0,400000}(?<=\d))"
)
"""Behind a comma they go on in the next line, unless a date begins it: the list was cut."""
_SENTENCE: Final = rf"(?P<x>[^\s'\"\[{{<(=\\][^\n\\]{{2,20000}}?){_STOP}"


def _are_ids(found: Any) -> bool:
    """No shape, which has one number or two: ``input_ids: [1, 4096]``."""
    return not found["i"] or bool(found["t"]) or len(re.findall(r"\d+", found["x"])) > 2


RULES: Final[tuple[Rule, ...]] = (
    *chats.RULES,
    Rule(
        "prompt",
        rf"(?i)(?<![\w-])(?:[a-z_]{{0,20}}prompts?|prompt[_ ]text|generated[_ ]texts?|content|reasoning_content"
        r"|(?:input|user)_(?:text|input|message))"
        rf"{ASSIGN}{VALUE}",
        ("prompt", "generated", "content", "_text", "_input", "_message"),
    ),
    Rule(
        "prompt",
        rf"(?i)['\"]type\\?['\"]\s?:\s?\\?['\"](?:input_)?text\\?['\"],\s?\\?['\"]text{ASSIGN}{VALUE}",
        ('"text', "'text"),
    ),
    Rule(
        "prompt",
        rf"\b\w{{0,40}}(?:Request|Prompt|Message|Input|Chunk|Delta)\([^()\n]{{0,200}}?(?:text|query|body)={VALUE}",
        ("text=", "query=", "body="),
    ),
    # How vLLM prints what a model said.
    Rule("prompt", rf"CompletionOutput\([^()\n]{{0,80}}?text={VALUE}", ("completionoutput",)),
    Rule(
        "prompt",
        rf"(?i)['\"](?:input|query|documents?){ASSIGN}(?=\\?['\"]|\[\s?\\?['\"]){VALUE}",
        ("input", "query", "document"),
        lambda m: len(m["x"]) > 18 and two_words(m["x"]),
    ),
    # Its log of what a request was answered with.
    Rule(
        "prompt",
        rf"(?i)generated response [^\n:]{{1,200}}:\s{{1,2}}output{ASSIGN}{VALUE}",
        ("generated response",),
    ),
    # Token ids are the text itself: any tokenizer reads them.
    Rule(
        "prompt",
        rf"(?i)(?<![\w-])(?:(?:(?:prompt|output|all|new|generated)_)?token_ids|(?:decoder_)?(?P<i>input)_ids)"
        rf"{ASSIGN}{_IDS}",
        ("token_ids", "input_ids"),
        _are_ids,
        needs=r"_ids\W",
    ),
    # A picture or a recording within a request.
    Rule(
        "prompt",
        r"(?i)(?<![\w-])data:(?:[a-z]{1,20}/[\w.+-]{1,60})?(?:;[\w.-]{1,40}=[\w.-]{1,40}){0,3};base64,"
        r"(?P<x>[\w+/=-]{1,40000000}+)",
        (";base64,",),
    ),
    # A prompt without quotes: as a script prints it, as a server logs it.
    Rule(
        "prompt",
        rf"(?i){_OPENS}(?:(?:(?:system |user |input |final |full |raw )?prompt(?: ?#?\d{{1,4}}|\[\d{{1,4}}\])?"
        rf"|(?:system|user)_prompt|input_text|generated_text|question|instruction"
        rf"|query)\s?[:=]|(?:(?-i:User|USER)(?: message| input)?|(?-i:H(?:uman|UMAN))|(?-i:A(?:ssistant"
        rf"|SSISTANT))|(?<=\n)(?:user|human|assistant)"
        rf"|프롬프트|(?:사용자 )?질문|답변|사용자|대화|입력\s?문장)\s?:)[ \t]{{0,2}}{_SENTENCE}",
        (
            "prompt",
            "input_text",
            "generated_text",
            "question",
            "instruction",
            "query",
            "user",
            "human",
            "assistant",
            "프롬프트",
            "질문",
            "답변",
            "대화",
            "사용자",
            "입력",
        ),
        spoken,
        needs=r"(?i)(?:prompt(?: ?#?\d{1,4}|\[\d{1,4}\])?|_text|question|instruction|query|user|human|assistant|message"
        r"|input|프롬프트|질문|답변|사용자|대화|문장)\s?[:=]",
    ),
    Rule(
        "prompt",
        rf"(?:프롬프트|질문|답변){ASSIGN}{VALUE}",
        ("프롬프트", "질문", "답변"),
    ),
    Rule(
        "prompt",
        r"(?i)(?<![\w.-])(?:messages|conversation|chat_history)\s?[:=]\s?"
        r"(?P<x>\[(?:[^\[\]\n]|\[[^\[\]\n]{0,4000}\]){3,40000}+\]|(?=[^\W\d_]\S*\s+[^\W\d_])[^\n\\\[({=]{6,20000})",
        ("messages", "conversation", "chat_history"),
        quoted,
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
