"""Writes the goldens of native/*.test.ts: what transformers and torch compute in fp64 for two tiny random models.

    python3 -m venv venv && venv/bin/pip install torch transformers safetensors numpy
    venv/bin/python native/test/goldens/make.py

For each case a Hugging Face folder as transformers itself writes it, and expected.safetensors with log-probabilities,
entropies, gradients of both losses and the loss curve of ten AdamW steps. Deterministic: the same versions give the
same bytes.
"""

import json
import pathlib

import torch
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM

HERE = pathlib.Path(__file__).parent
CASES = {
    "untied": dict(vocab_size=37, hidden_size=24, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                   head_dim=8, intermediate_size=40, tie_word_embeddings=False, rms_norm_eps=1e-5, rope_theta=10000.0),
    "tied": dict(vocab_size=41, hidden_size=16, num_hidden_layers=3, num_attention_heads=2, num_key_value_heads=2,
                 head_dim=8, intermediate_size=24, tie_word_embeddings=True, rms_norm_eps=1e-6, rope_theta=500000.0),
}
LENGTHS = [7, 1, 70, 12]  # one sequence longer than a block of the attention kernel
LOSS = dict(clipLow=0.2, clipHigh=0.28, entropyCoef=0.01, tisCap=2.0)
ADAMW = dict(lr=1e-2, beta1=0.9, beta2=0.95, eps=1e-8, weightDecay=0.1, maxGradNorm=0.5)


def distributions(model, tokens):
    """log p(token | prefix) and entropy for each position of the packed batch; 0 at each sequence's first token."""
    logps, entropies, at = [], [], 0
    for length in LENGTHS:
        ids = tokens[at:at + length]
        at += length
        log_p = torch.log_softmax(model(ids[None]).logits[0, :-1], -1)
        zero = torch.zeros(1, dtype=log_p.dtype)
        logps += [zero, log_p.gather(1, ids[1:, None])[:, 0]]
        entropies += [zero, -(log_p.exp() * log_p).sum(-1)]
    return torch.cat(logps), torch.cat(entropies)


def policy_loss(logp, entropy, data):
    """ALGORITHMS.md, `regular` with a truncated importance weight and an entropy bonus; a sum over masked tokens."""
    ratio = torch.exp(torch.clamp(logp - data["oldLogp"], -20, 20))
    plain = ratio * data["advantages"]
    clipped = torch.clamp(ratio, 1 - LOSS["clipLow"], 1 + LOSS["clipHigh"]) * data["advantages"]
    weight = torch.exp(data["oldLogp"] - data["rolloutLogp"]).clamp(max=LOSS["tisCap"])
    per_token = -weight * torch.minimum(plain, clipped) - LOSS["entropyCoef"] * entropy
    fraction = ((-clipped > -plain) & data["mask"]).sum() / data["mask"].sum()
    return per_token[data["mask"]].sum() / data["mask"].sum(), fraction


def cross_entropy(logp, data):
    return -logp[data["mask"]].sum() / data["mask"].sum()


def gradients(model, loss):
    model.zero_grad()
    loss.backward()
    return {name: p.grad.clone() for name, p in model.named_parameters()}


def train(model, tokens, data, steps):
    decayed = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() == 1]
    groups = [dict(params=decayed, weight_decay=ADAMW["weightDecay"]), dict(params=rest, weight_decay=0.0)]
    optimizer = torch.optim.AdamW(groups, lr=ADAMW["lr"], betas=(ADAMW["beta1"], ADAMW["beta2"]), eps=ADAMW["eps"])
    losses, norms = [], []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = cross_entropy(distributions(model, tokens)[0], data)
        loss.backward()
        losses.append(loss.item())
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), ADAMW["maxGradNorm"]).item())
        optimizer.step()
    return losses, norms


def make(name, shape):
    torch.manual_seed(len(name))
    folder = HERE / name
    config = LlamaConfig(**shape, max_position_embeddings=128, attention_bias=False, mlp_bias=False)
    model = LlamaForCausalLM(config)
    for p in model.parameters():  # livelier than the default initialisation, norms included
        p.data = p.data + torch.randn_like(p) * 0.15
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    model = model.double().eval()

    n = sum(LENGTHS)
    tokens = torch.randint(0, shape["vocab_size"], (n,))
    mask = torch.rand(n) < 0.6
    starts = [0]
    for length in LENGTHS:
        mask[starts[-1]] = False
        starts.append(starts[-1] + length)
    logp, entropy = distributions(model, tokens)
    data = {
        "mask": mask,
        "advantages": torch.randn(n).float().double(),
        "oldLogp": (logp.detach() + torch.randn(n) * 0.3).float().double(),
        "rolloutLogp": (logp.detach() + torch.randn(n) * 0.5).float().double(),
    }
    loss, clip_fraction = policy_loss(logp, entropy, data)
    policy = gradients(model, loss)
    logp, entropy = distributions(model, tokens)
    supervised_loss = cross_entropy(logp, data)
    supervised = gradients(model, supervised_loss)
    greedy = model.generate(tokens[None, :5], max_new_tokens=20, do_sample=False, eos_token_id=None, pad_token_id=0)[0, 5:]
    losses, norms = train(model, tokens, data, 10)

    tensors = {f"policy.{k}": v for k, v in policy.items()} | {f"cross_entropy.{k}": v for k, v in supervised.items()}
    tensors |= {"logp": logp.detach(), "entropy": entropy.detach()}
    tensors |= {k: data[k] for k in ("advantages", "oldLogp", "rolloutLogp")}
    save_file({k: v.float().contiguous() for k, v in tensors.items()}, folder / "expected.safetensors")
    summary = {
        "tokens": tokens.tolist(), "starts": starts, "lossMask": mask.int().tolist(), "loss": LOSS, "adamw": ADAMW,
        "policyLoss": loss.item(), "clipFraction": clip_fraction.item(), "crossEntropy": supervised_loss.item(),
        "greedy": greedy.tolist(), "losses": losses, "gradNorms": norms,
    }
    (folder / "expected.json").write_text(json.dumps(summary) + "\n")


for case, shape in CASES.items():
    make(case, shape)
