"""torch's side of bench/learner: python learner.torch.py FOLDER THREADS STEPS, one JSON line out."""

import json
import sys
import time

import torch
from transformers import AutoModelForCausalLM

folder, threads, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
torch.set_num_threads(threads)
with open(f"{folder}/batch.json") as file:
    batch = json.load(file)
lengths = {b - a for a, b in zip(batch["starts"], batch["starts"][1:])}
assert len(lengths) == 1, "equal lengths: torch needs no padding then"
tokens = torch.tensor(batch["tokens"]).view(-1, lengths.pop())

model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="sdpa")
model.train()
decayed = [p for p in model.parameters() if p.dim() > 1]
rest = [p for p in model.parameters() if p.dim() == 1]
groups = [dict(params=decayed, weight_decay=0.1), dict(params=rest, weight_decay=0.0)]
optimizer = torch.optim.AdamW(groups, lr=1e-4, betas=(0.9, 0.95), fused=True)
result = dict(wall=[], cpu=[], losses=[])
for _ in range(steps):
    began, used = time.perf_counter(), time.process_time()
    logits = model(tokens, use_cache=False).logits[:, :-1]
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)
    result["wall"].append(time.perf_counter() - began)
    result["cpu"].append(time.process_time() - used)
    result["losses"].append(loss.item())
with open("/proc/self/status") as status:
    result["peakMib"] = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
print(json.dumps(result))
