"""Writes expected.json beside it, the goldens of rl/algorithms/goldens.test.ts: each definition in torch, in fp64.

    python3 -m venv venv && venv/bin/pip install torch numpy
    venv/bin/python rl/algorithms/goldens/make.py

Written from the papers' formulas over padded [B, T] tensors, apart from the TypeScript, which knows no padding. The gradients
of the reductions and of the policy loss with corrected advantages come from autograd. Deterministic.
"""

import json
import pathlib

import numpy as np
import torch

torch.set_default_dtype(torch.float64)
RNG = np.random.default_rng(7)
GROUPS = [0, 0, 0, 1, 1, 2]  # the last one alone
LENGTHS = [9, 7, 4, 9, 5, 3]
TURNS = [[[1, 3], [5, 8]], [[2, 4], [4, 7]], [[1, 4]], [[1, 2], [4, 6], [7, 9]], [[2, 2], [3, 5]], [[3, 3]]]
B, T = len(LENGTHS), max(LENGTHS)
GAMMA, LAMBDA, MAX_SEQ_LEN = 0.9, 0.8, 16


def rounded(shape, scale=1.0):
    """Values that fp32 holds exactly."""
    return torch.tensor(np.round(RNG.normal(0, scale, shape) * 64) / 64)


mask = torch.zeros(B, T)
for b, turns in enumerate(TURNS):
    for start, end in turns:
        mask[b, start:end] = 1
rewards, values = rounded((B, T)).abs() * mask, rounded((B, T)) * mask
old = -rounded((B, T)).abs() * mask
rollout = (old + rounded((B, T), 0.5)) * mask
logp = ((old + rounded((B, T), 0.3)) * mask).requires_grad_()
scores = rewards.sum(1)
groups = torch.tensor(GROUPS)


def per_group(formula):
    out = torch.zeros(B)
    for g in groups.unique():
        members = groups == g
        out[members] = formula(scores[members])
    return out[:, None] * mask


def grpo(s):
    return s / (1 + 1e-6) if len(s) == 1 else (s - s.mean()) / (s.std(unbiased=True) + 1e-6)


def rloo(s):
    return torch.zeros(1) if len(s) == 1 else torch.stack(
        [s[i] - torch.cat([s[:i], s[i + 1:]]).mean() for i in range(len(s))])


def whiten(x):
    kept = x[mask.bool()]
    return (x - kept.mean()) * torch.rsqrt(kept.var(unbiased=True) + 1e-8) * mask


def reinforce_plus_plus():
    out, carry = torch.zeros(B, T), torch.zeros(B)
    for t in reversed(range(T)):
        carry = (rewards[:, t] + GAMMA * carry) * mask[:, t]
        out[:, t] = carry
    return whiten(out)


def gae():
    """Each sequence's sampled tokens alone; A_t = sum_l (gamma lambda)^l delta_{t+l}, as a sum, not as a recursion."""
    out = torch.zeros(B, T)
    for b in range(B):
        at = mask[b].nonzero()[:, 0]
        r, v = rewards[b, at], torch.cat([values[b, at], torch.zeros(1)])
        delta = r + GAMMA * v[1:] - v[:-1]
        for i in range(len(at)):
            out[b, at[i]] = sum((GAMMA * LAMBDA) ** (j - i) * delta[j] for j in range(i, len(at)))
    return out


def turn_level():
    out = torch.zeros(B, T)
    per_turn = [[rewards[b, s:e].sum() for s, e in TURNS[b]] for b in range(B)]
    for g in set(GROUPS):
        for k in range(max(len(t) for t in TURNS)):
            there = [b for b in range(B) if GROUPS[b] == g and k < len(TURNS[b])]
            if not there:
                continue
            returns = torch.stack([sum(GAMMA ** (j - k) * per_turn[b][j] for j in range(k, len(TURNS[b]))) for b in there])
            returns = grpo(returns)
            for b, a in zip(there, returns):
                s, e = TURNS[b][k]
                out[b, s:e] = a
    return out * mask


def corrections():
    """SETTINGS in goldens.test.ts."""
    x = (old - rollout) * mask
    r, n = x.exp(), mask.sum(1).clamp(min=1)
    product, geometric = x.sum(1).exp(), (x.sum(1) / n).exp()

    def inside(ratio, low, high):
        return ((ratio >= low) & (ratio <= high)).double()

    def whole(keep):
        return keep[:, None].expand(B, T)

    outlier = whole((inside(r, 0.5, 2.5) + (1 - mask)).clamp(max=1).prod(1))
    out = {
        "outlier_mask": outlier,
        "icepop": r * inside(r, 0.7, 1.5),
        "mis_token": inside(r, 0.7, 1.5),
        "mis_sequence": whole(inside(product, 0.7, 1.5)),
        "tis_token": r.clamp(max=1.25),
        "tis_sequence": whole(product.clamp(max=1.25)),
        "geometric_mask": whole(inside(geometric, 0.9, 1.1)),
    }
    out["all"] = outlier * out["mis_token"] * out["tis_token"] * out["geometric_mask"]
    return {name: torch.where(mask.bool(), w, torch.ones(())) for name, w in out.items()}


def reduced(loss, kind):
    n = mask.sum(1).clamp(min=1)
    if kind == "token_mean":
        return (loss * mask).sum() / mask.sum()
    if kind == "sequence_mean":
        return ((loss * mask).sum(1) / n).mean()
    if kind == "seq_mean_token_sum_norm":
        return (loss * mask).sum() / (B * MAX_SEQ_LEN)
    means = [(loss * mask)[groups == g].sum() / mask[groups == g].sum().clamp(min=1) for g in groups.unique()]
    return torch.stack(means).mean()


def policy_gradients(weights):
    """d loss / d logp of the clipped objective, each token weighted by the corrections."""
    advantages = per_group(grpo)
    ratio = torch.exp(torch.clamp(logp - old, -20, 20))
    loss = -torch.minimum(ratio * advantages, torch.clamp(ratio, 0.8, 1.28) * advantages) * weights
    kinds = ["token_mean", "sequence_mean", "seq_mean_token_sum_norm", "prompt_mean"]
    return {kind: torch.autograd.grad(reduced(loss, kind), logp, retain_graph=True)[0] for kind in kinds}


def kl():
    p, q = rounded(12).requires_grad_(), rounded(12, 4.0)
    e = torch.clamp(q - p, -20, 20)
    d = p - q
    values = {"k1": d, "abs": d.abs(), "k2": d**2 / 2, "k3": torch.clamp(torch.exp(e) - e - 1, -10, 10)}
    return {"logp": p, "ref": q, **values}


def plain(x):
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    return [plain(v) for v in x] if not torch.is_tensor(x) else x.detach().tolist()


weights = corrections()
advantage = gae()
expected = {
    "groups": GROUPS, "lengths": LENGTHS, "turns": TURNS, "gamma": GAMMA, "lambda": LAMBDA, "maxSeqLen": MAX_SEQ_LEN,
    **plain({"mask": mask, "rewards": rewards, "values": values, "old": old, "rollout": rollout, "logp": logp}),
    "advantages": plain({
        "grpo": per_group(grpo), "dr_grpo": per_group(lambda s: s - s.mean()), "rloo": per_group(rloo),
        "maxrl": per_group(lambda s: (s - s.mean()) / (s.mean() + 1e-6)), "reinforce++": reinforce_plus_plus(),
        "gae": whiten(advantage), "turn_level": turn_level()}),
    "returns": plain((advantage + values) * mask),
    "corrections": plain(weights),
    "gradients": plain(policy_gradients(weights["tis_token"])),
    "kl": plain(kl()),
}
pathlib.Path(__file__).with_name("expected.json").write_text(json.dumps(expected) + "\n")
