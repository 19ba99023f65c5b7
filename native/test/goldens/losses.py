"""Writes losses.json for native/losses.test.ts: what torch computes in fp64 of every loss for the model in untied/.

    python3 -m venv venv && venv/bin/pip install torch transformers safetensors numpy
    venv/bin/python native/test/goldens/losses.py

Each gradient is kept as its norm and its sums under four fixed patterns of signs: a wrong gradient fits them by no
chance worth mention, and sixteen losses take kilobytes.
"""

import json
import pathlib

import numpy
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

HERE = pathlib.Path(__file__).parent
FOLDER = HERE / "untied"
GOLDEN = json.loads((FOLDER / "expected.json").read_text())
STARTS = GOLDEN["starts"]
MASK = torch.tensor(GOLDEN["lossMask"]).bool()
TOKENS = torch.tensor(GOLDEN["tokens"])
VALUE_CLIP = 0.15
ADAMW = dict(lr=1e-2, beta1=0.9, beta2=0.95, eps=1e-8, weightDecay=0.1, maxGradNorm=0.5)

# Bounds tight enough that each decides at some of the tokens.
BAND = dict(clipLow=0.2, clipHigh=0.28)
LOSSES = {
    "regular": dict(kind="regular", entropyCoef=0.01, **BAND),
    "dual_clip": dict(kind="dual_clip", dualClip=1.2, entropyCoef=0.0, **BAND),
    "gspo": dict(kind="gspo", clipLow=0.02, clipHigh=0.03, entropyCoef=0.02),
    "cispo": dict(kind="cispo", **BAND),
    "sapo": dict(kind="sapo", tauPositive=1.3, tauNegative=0.7),
    "dppo": dict(kind="dppo", deltaLow=0.004, deltaHigh=0.006),
    "decoupled_ppo": dict(kind="decoupled_ppo", **BAND),
    "decoupled_ppo, interpolated": dict(kind="decoupled_ppo", **BAND),
    "importance_sampling": dict(kind="importance_sampling"),
    "cross_entropy": dict(kind="cross_entropy"),
} | {f"regular with {kl}": dict(kind="regular", klCoef=0.3, klEstimator=kl, **BAND) for kl in ("k1", "abs", "k2", "k3")}


def clamp20(x):
    return torch.clamp(x, -20, 20)


def sequences():
    return [slice(a, b) for a, b in zip(STARTS, STARTS[1:])]


def ppo(ratio, spec, advantages):
    bounded = torch.clamp(ratio, 1 - spec["clipLow"], 1 + spec["clipHigh"])
    loss = -torch.minimum(ratio * advantages, bounded * advantages)
    return loss, -bounded * advantages > -ratio * advantages


def per_token(name, spec, logp, d):
    """The definitions of the losses, one a branch: values and where a bound decided."""
    kind, a, none = spec["kind"], d["advantages"], torch.zeros_like(MASK)
    ratio = torch.exp(clamp20(logp - d["oldLogp"]))
    if kind == "regular":
        return ppo(ratio, spec, a)
    if kind == "dual_clip":
        loss, bounded = ppo(ratio, spec, a)
        most = -spec["dualClip"] * a
        return torch.where(a < 0, torch.minimum(loss, most), loss), bounded | ((a < 0) & (most < loss))
    if kind == "gspo":
        means = torch.zeros_like(logp)
        for s in sequences():
            n = MASK[s].sum().clamp(min=1)
            means[s] = torch.where(MASK, logp - d["oldLogp"], 0.0)[s].sum().detach() / n
        log_s = means + logp - logp.detach()
        return ppo(torch.exp(torch.clamp(log_s, max=10.0)), spec, a)
    if kind == "cispo":
        weight = torch.clamp(ratio, 1 - spec["clipLow"], 1 + spec["clipHigh"]).detach()
        return -weight * a * logp, weight != ratio
    if kind == "sapo":
        tau = torch.where(a > 0, spec["tauPositive"], spec["tauNegative"])
        return -(4 / tau) * torch.sigmoid(tau * (ratio - 1)) * a, none
    if kind == "dppo":
        moved = (logp.exp() - d["rolloutLogp"].exp()).detach()
        dropped = ((a > 0) & (moved > spec["deltaHigh"])) | ((a < 0) & (moved < -spec["deltaLow"]))
        return torch.where(dropped, 0.0, -ratio * a), dropped
    if kind == "decoupled_ppo":
        proximal = d["oldLogp"]
        if name.endswith("interpolated"):
            proximal = (d["rolloutLogp"] + d["interpolation"] * (logp - d["rolloutLogp"])).detach()
        loss, bounded = ppo(torch.exp(clamp20(logp - proximal)), spec, a)
        return torch.exp(clamp20(proximal - d["rolloutLogp"])) * loss, bounded
    if kind == "importance_sampling":
        return -torch.exp(clamp20(logp - d["rolloutLogp"])) * a, none
    return -logp, none


def kl(estimator, logp, ref):
    d = logp - ref
    e = clamp20(-d)
    return {"k1": d, "abs": d.abs(), "k2": d**2 / 2, "k3": torch.clamp(torch.exp(e) - e - 1, -10, 10)}[estimator]


def predictions(model):
    logps, entropies = [], []
    for s in sequences():
        log_p = torch.log_softmax(model(TOKENS[None, s]).logits[0, :-1], -1)
        zero = torch.zeros(1, dtype=log_p.dtype)
        logps += [zero, log_p.gather(1, TOKENS[s][1:, None])[:, 0]]
        entropies += [zero, -(log_p.exp() * log_p).sum(-1)]
    return torch.cat(logps), torch.cat(entropies)


def mean(x):
    return x[MASK].sum() / MASK.sum()


def loss_of(name, spec, model, d):
    logp, entropy = predictions(model)
    value, clipped = per_token(name, spec, logp, d)
    divergence = kl(spec.get("klEstimator", "k3"), logp, d["refLogp"])
    total = d["weights"] * value - spec.get("entropyCoef", 0.0) * entropy + spec.get("klCoef", 0.0) * divergence
    stats = dict(clipFraction=mean(clipped.double()).item())
    if "klCoef" in spec:
        stats["klRef"] = mean(divergence).item()
    return mean(total), stats


def signs(n, k):
    """+1 or -1 from a hash of (index, pattern) in 32 bits."""
    with numpy.errstate(over="ignore"):
        h = (numpy.arange(1, n + 1, dtype=numpy.uint32) * numpy.uint32(0x9E3779B1)) ^ (
            numpy.uint32(k + 1) * numpy.uint32(0x85EBCA6B))
        h = (h ^ (h >> numpy.uint32(15))) * numpy.uint32(0x2C1B3C6D)
        h = (h ^ (h >> numpy.uint32(12))) * numpy.uint32(0x297A2D39)
        return 1.0 - 2.0 * ((h >> numpy.uint32(16)) & numpy.uint32(1)).astype(numpy.float64)


def sketch(tensor):
    flat = tensor.detach().double().flatten().numpy()
    return [float(f"{x:.9g}") for x in [numpy.linalg.norm(flat), *(float(flat @ signs(flat.size, k)) for k in range(4))]]


def sketches(model, of):
    return {name: sketch(of(p)) for name, p in model.named_parameters()}


def five_steps(model, spec, d):
    """Sketches of the weights and moments after five AdamW steps."""
    decayed = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() == 1]
    optimizer = torch.optim.AdamW(
        [dict(params=decayed, weight_decay=ADAMW["weightDecay"]), dict(params=rest, weight_decay=0.0)],
        lr=ADAMW["lr"], betas=(ADAMW["beta1"], ADAMW["beta2"]), eps=ADAMW["eps"])
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss, _ = loss_of("regular with k3", spec, model, d)
        loss.backward()
        losses.append(loss.item())
        torch.nn.utils.clip_grad_norm_(model.parameters(), ADAMW["maxGradNorm"])
        optimizer.step()
    return dict(losses=losses, weights=sketches(model, lambda p: p),
                moment1=sketches(model, lambda p: optimizer.state[p]["exp_avg"]),
                moment2=sketches(model, lambda p: optimizer.state[p]["exp_avg_sq"]))


def train_critic(model, d):
    """The trunk with a value head that begins at 0, trained by the clipped value loss: gradients of the third step."""
    score = torch.zeros(1, model.config.hidden_size, dtype=torch.float64, requires_grad=True)
    named = {"model." + name: p for name, p in model.model.named_parameters()} | {"score.weight": score}

    def values():
        parts = []
        for s in sequences():
            hidden = model.model(TOKENS[None, s]).last_hidden_state[0, :-1]
            parts += [torch.zeros(1, dtype=torch.float64), (hidden @ score.T)[:, 0]]
        return torch.cat(parts)

    optimizer = torch.optim.AdamW(
        [dict(params=[p for p in named.values() if p.dim() > 1], weight_decay=ADAMW["weightDecay"]),
         dict(params=[p for p in named.values() if p.dim() == 1], weight_decay=0.0)],
        lr=ADAMW["lr"], betas=(ADAMW["beta1"], ADAMW["beta2"]), eps=ADAMW["eps"])
    losses, fractions, gradients = [], [], {}
    for step in range(5):
        optimizer.zero_grad()
        v, old, returns = values(), d["oldValues"], d["returns"]
        kept = old + torch.clamp(v - old, -VALUE_CLIP, VALUE_CLIP)
        loss = mean(0.5 * torch.maximum((v - returns) ** 2, (kept - returns) ** 2))
        loss.backward()
        losses.append(loss.item())
        bounded = ((v - old).abs() > VALUE_CLIP) & ((kept - returns) ** 2 > (v - returns) ** 2)
        fractions.append(mean(bounded.double()).item())
        if step == 2:
            gradients = {name: sketch(p.grad) for name, p in named.items()}
        torch.nn.utils.clip_grad_norm_(named.values(), ADAMW["maxGradNorm"])
        optimizer.step()
    return dict(valueClip=VALUE_CLIP, losses=losses, clipFractions=fractions, gradients=gradients,
                values=sketch(values()))


def load():
    return AutoModelForCausalLM.from_pretrained(FOLDER, attn_implementation="eager").double().eval()


def main():
    torch.manual_seed(7)
    tensors = load_file(FOLDER / "expected.safetensors")
    d = {name: tensors[name].double() for name in ("advantages", "oldLogp", "rolloutLogp")}
    n = len(TOKENS)
    d["refLogp"] = (tensors["logp"] + torch.randn(n) * 0.4).float().double()
    d["weights"] = torch.where(torch.rand(n) < 0.2, 0.0, torch.rand(n) * 2).float().double()
    d["interpolation"] = torch.rand(n).float().double()
    d["returns"] = torch.randn(n).float().double()
    d["oldValues"] = (torch.randn(n) * 0.2).float().double()
    model = load()
    cases = {}
    for name, spec in LOSSES.items():
        model.zero_grad()
        loss, stats = loss_of(name, spec, model, d)
        loss.backward()
        cases[name] = dict(spec=spec, loss=loss.item(), **stats, gradients=sketches(model, lambda p: p.grad))
    spec = LOSSES["regular with k3"]
    training = dict(spec=spec, adamw=ADAMW, **five_steps(load(), spec, d))
    kept = ("refLogp", "weights", "interpolation", "returns", "oldValues")
    arrays = {name: [float(f"{x:.9g}") for x in d[name].tolist()] for name in kept}
    golden = dict(arrays=arrays, cases=cases, training=training, critic=train_critic(load(), d))
    (HERE / "losses.json").write_text(json.dumps(golden) + "\n")


main()
