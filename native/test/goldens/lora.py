"""Writes lora/ for native/lora.test.ts: adapters of the model in untied/ as PEFT itself saves them, before and after five
AdamW steps of cross entropy in fp64.

    python3 -m venv venv && venv/bin/pip install torch transformers peft safetensors
    venv/bin/python native/test/goldens/lora.py
"""

import json
import pathlib

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

HERE = pathlib.Path(__file__).parent
FOLDER = HERE / "untied"
GOLDEN = json.loads((FOLDER / "expected.json").read_text())
MASK = torch.tensor(GOLDEN["lossMask"]).bool()
TOKENS = torch.tensor(GOLDEN["tokens"])
ADAMW = dict(lr=1e-2, beta1=0.9, beta2=0.95, eps=1e-8, weightDecay=0.1, maxGradNorm=0.5)


def loss_of(model):
    parts = []
    for a, b in zip(GOLDEN["starts"], GOLDEN["starts"][1:]):
        log_p = torch.log_softmax(model(input_ids=TOKENS[None, a:b]).logits[0, :-1], -1)
        parts += [torch.zeros(1, dtype=log_p.dtype), log_p.gather(1, TOKENS[a + 1:b, None])[:, 0]]
    return -torch.cat(parts)[MASK].mean()


def save(model, folder):
    model.save_pretrained(folder)
    (folder / "README.md").unlink(missing_ok=True)
    config = folder / "adapter_config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | dict(base_model_name_or_path=None), indent=2) + "\n")


def main():
    torch.manual_seed(11)
    model = AutoModelForCausalLM.from_pretrained(FOLDER, attn_implementation="eager")
    config = LoraConfig(r=3, lora_alpha=6, target_modules=["q_proj", "v_proj", "down_proj"], lora_dropout=0.0,
                        bias="none", task_type="CAUSAL_LM")
    model = get_peft_model(model, config).eval()
    for name, p in model.named_parameters():  # as if it had learned before, so that both halves have gradients
        if "lora_B" in name:
            p.data = torch.randn_like(p) * 0.2
    save(model, HERE / "lora" / "before")
    model = model.double()
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=ADAMW["lr"], betas=(ADAMW["beta1"], ADAMW["beta2"]), eps=ADAMW["eps"],
                                  weight_decay=ADAMW["weightDecay"])
    losses, norms = [], []
    for _ in range(5):
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        losses.append(loss.item())
        norms.append(torch.nn.utils.clip_grad_norm_(trained, ADAMW["maxGradNorm"]).item())
        optimizer.step()
    save(model.float(), HERE / "lora" / "after")
    (HERE / "lora" / "expected.json").write_text(json.dumps(dict(adamw=ADAMW, losses=losses, gradNorms=norms)) + "\n")


main()
