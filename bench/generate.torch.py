"""transformers' side of bench/generate: python generate.torch.py FOLDER THREADS, one JSON line out."""

import json
import sys
import time

import torch
from transformers import AutoModelForCausalLM

folder, threads = sys.argv[1], int(sys.argv[2])
torch.set_num_threads(threads)
with open(f"{folder}/generate.json") as file:
    job = json.load(file)
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="sdpa").eval()
prompts = torch.tensor(job["prompts"])
new = job["newTokens"]


def generate(batch):
    chosen = prompts[:batch]
    with torch.inference_mode():
        return model.generate(
            chosen,
            attention_mask=torch.ones_like(chosen),
            max_new_tokens=new,
            min_new_tokens=new,
            do_sample=False,
            pad_token_id=0,
            eos_token_id=None,
        )[:, chosen.shape[1] :]


result = dict(wall=[], cpu=[], tokens=generate(job["batches"][0])[0].tolist())
for batch in job["batches"]:
    generate(batch)
    began, used = time.perf_counter(), time.process_time()
    generate(batch)
    result["wall"].append(time.perf_counter() - began)
    result["cpu"].append(time.process_time() - used)
print(json.dumps(result))
