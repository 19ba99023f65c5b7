"""Reads [{folder, tokens}] as JSON, writes the logits transformers gives for each in fp64, flat."""

import json
import sys

import torch
from transformers import AutoModelForCausalLM

results = []
for job in json.load(sys.stdin):
    model, report = AutoModelForCausalLM.from_pretrained(job["folder"], output_loading_info=True,
                                                         experts_implementation="eager")
    if report["missing_keys"] or report["unexpected_keys"]:
        sys.exit(f"{job['folder']}: {report}")
    with torch.no_grad():
        results.append(model.double().eval()(torch.tensor([job["tokens"]])).logits.flatten().tolist())
json.dump(results, sys.stdout)
