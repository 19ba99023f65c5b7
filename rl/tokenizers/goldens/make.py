"""Trains a small tokenizer of Qwen's kind (NFC, byte-level BPE, special tokens) and writes what Python makes of many texts.

    python3 -m venv venv && venv/bin/pip install transformers tokenizers jinja2
    venv/bin/python rl/tokenizers/goldens/make.py

Writes the tokenizer's folder as transformers saves it, and cases.json beside it. Deterministic.
"""

import json
import pathlib
import random

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

HERE = pathlib.Path(__file__).parent
SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
         r"|\s+(?!\S)|\s+")
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
PLAIN_ADDED = ["<tool_call>", "</tool_call>", "<think>", "</think>"]
TEMPLATE = """{%- if tools %}<|im_start|>system
{{ messages[0].content + '\\n\\n' if messages[0].role == 'system' else '' }}Tools, one a line:
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}Call one with <tool_call>{"name": ..., "arguments": ...}</tool_call>.<|im_end|>
{% endif %}
{%- for message in messages %}
{%- if message.role == 'assistant' and message.tool_calls %}<|im_start|>assistant
{{ message.content | trim }}
{%- for call in message.tool_calls %}
<tool_call>
{{ {"name": call.function.name, "arguments": call.function.arguments} | tojson }}
</tool_call>
{%- endfor %}<|im_end|>
{% elif message.role == 'tool' %}<|im_start|>user
<tool_response>{{ message.content }}</tool_response><|im_end|>
{% elif not (tools and loop.first and message.role == 'system') %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% if enable_thinking is defined and not enable_thinking %}<think>

</think>

{% endif %}{% endif %}"""

CORPUS = [
    "The agent reads the note, asks for the next one and answers with the key at the end.",
    "def train(model, batch):\n    loss = model(batch).loss\n    loss.backward()\n    return loss.item()\n",
    "Der Lernende übt täglich; größere Schritte schaden. Ça va? Où est la clé? El niño comió piñas.",
    "Обучение с подкреплением учит политику. 強化学習は方策を学ぶ。 강화 학습은 정책을 배운다. 强化学习训练策略。",
    "{\"name\": \"ask\", \"arguments\": {\"who\": \"feed\", \"n\": 12}}\n\n\tindented\r\nlines  with   spaces 0123456789",
    "It's we'll they've I'm you'd DON'T 'S 👍🏽 👩‍👩‍👧 é e\u0301 ﬁ Å \u00a0nbsp",
]
TEXTS = CORPUS + [
    "", " ", "  ", "\n", "\r\n\r\n", "\t\t x", "a", "Ａ", "e\u0301", "\u00e9", "A\u030a", "\ufb01", "\u1e9b\u0323", "ﷺ",
    "\u0130i", "🇩🇪🇫🇷", "👩‍👩‍👧‍👦", "\u200b\u200d\ufeff", "\u202eabc\u202c", "\x00\x01\x7f", "\u2028\u2029", "\U0010ffff", "𝔘𝔫𝔦",
    "नमस्ते दुनिया", "สวัสดี", "مرحبا بالعالم", "שלום", "ⅷ²½٣", "x=1;y+=2//z", "....!!!???", "'s'S'LL 'll’s", "a  b   c    d",
    "<|im_start|>user\nhi<|im_end|>\n", "<|im_start|", "<|im_end|><|im_end|>", "x<|endoftext|>y", "  <|im_end|>  ",
    "<think>\nhm\n</think>", "<tool_call>{}</tool_call>", "<tool_call", "<TOOL_CALL>", "12345678901234567890", "a\u0301\u0301\u0301",
]
CHATS = [
    dict(messages=[dict(role="user", content="hello")], addGenerationPrompt=True),
    dict(messages=[dict(role="system", content="Be brief."), dict(role="user", content="Ünïcode 👍 <|im_end|>?"),
                   dict(role="assistant", content="yes")]),
    dict(messages=[dict(role="system", content="Use tools."), dict(role="user", content="What is in feed?"),
                   dict(role="assistant", content=" Looking. ", tool_calls=[
                       dict(function=dict(name="ask", arguments=dict(who="feed", n=3, deep=[1, {"a": None, "b": True}])))]),
                   dict(role="tool", content="port 12")],
         tools=[dict(type="function", function=dict(name="ask", description="reads \"a\" note <é>",
                                                    parameters=dict(type="object", properties=dict(who=dict(type="string")))))],
         addGenerationPrompt=True),
    dict(messages=[dict(role="user", content="quick")], addGenerationPrompt=True, variables=dict(enable_thinking=False)),
]


def random_texts(count):
    generator = random.Random(7)
    ranges = [(0x20, 0x7e), (0xa0, 0x24f), (0x300, 0x36f), (0x400, 0x4ff), (0x900, 0x97f), (0x3040, 0x30ff),
              (0x4e00, 0x4fff), (0xac00, 0xacff), (0x1f300, 0x1f64f), (0x2000, 0x206f), (0x9, 0xd)]
    for _ in range(count):
        first, last = generator.choice(ranges)
        yield "".join(chr(generator.randint(*generator.choice([(first, last), (0x20, 0x7e)])))
                      for _ in range(generator.randint(1, 24)))


tokenizer = Tokenizer(models.BPE())
tokenizer.normalizer = normalizers.NFC()
tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
    pre_tokenizers.Split(Regex(SPLIT), behavior="isolated", invert=False),
    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
tokenizer.decoder = decoders.ByteLevel()
trainer = trainers.BpeTrainer(vocab_size=420, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
tokenizer.train_from_iterator(CORPUS * 4, trainer)
tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in PLAIN_ADDED])
fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>",
                               clean_up_tokenization_spaces=False)
fast.chat_template = TEMPLATE
fast.save_pretrained(HERE / "qwen-style")

texts = []
for text in TEXTS + list(random_texts(300)):
    ids = fast.encode(text, add_special_tokens=False)
    texts.append(dict(text=text, ids=ids, decoded=fast.decode(ids, clean_up_tokenization_spaces=False)))
chats = []
for chat in CHATS:
    rendered = fast.apply_chat_template(chat["messages"], tools=chat.get("tools"), tokenize=False,
                                        add_generation_prompt=chat.get("addGenerationPrompt", False),
                                        **chat.get("variables", {}))
    chats.append(chat | dict(text=rendered, ids=fast.encode(rendered, add_special_tokens=False)))
(HERE / "cases.json").write_text(json.dumps(dict(texts=texts, chats=chats), ensure_ascii=True) + "\n")
