"""Writes the goldens of native/*.test.ts: what transformers and torch compute in fp64 for tiny random models, at least
one of each family.

    python3 -m venv venv && venv/bin/pip install torch transformers safetensors numpy
    venv/bin/python native/test/goldens/make.py

For each case a Hugging Face folder as transformers itself writes it, and expected.safetensors with log-probabilities,
entropies, logits, gradients of both losses, the loss curve of ten AdamW steps and the moments after five. Deterministic: the same versions give the
same bytes.
"""

import json
import pathlib

import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, LlamaConfig, Qwen2Config, Qwen3Config, Qwen3MoeConfig
from transformers.models.qwen3_moe.modeling_qwen3_moe import load_balancing_loss_func

HERE = pathlib.Path(__file__).parent
SMALL = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=8,
             intermediate_size=24, tie_word_embeddings=False, max_position_embeddings=128)
CASES = {
    "untied": LlamaConfig(**SMALL | dict(vocab_size=37, hidden_size=24, intermediate_size=40), rms_norm_eps=1e-5),
    "tied": LlamaConfig(**SMALL | dict(vocab_size=41, num_hidden_layers=3, num_attention_heads=2,
                                       tie_word_embeddings=True), rms_norm_eps=1e-6, rope_theta=500000.0),
    "llama3": LlamaConfig(**SMALL, vocab_size=29, rms_norm_eps=1e-5,
                          rope_parameters=dict(rope_type="llama3", rope_theta=10000.0, factor=8.0, low_freq_factor=1.0,
                                               high_freq_factor=4.0, original_max_position_embeddings=32)),
    "qwen2": Qwen2Config(**SMALL | dict(tie_word_embeddings=True), vocab_size=31, rms_norm_eps=1e-6),
    "qwen3": Qwen3Config(**SMALL | dict(head_dim=6), vocab_size=33, rms_norm_eps=1e-6),
    "qwen3-moe": Qwen3MoeConfig(**SMALL, vocab_size=27, num_experts=5, num_experts_per_tok=2, moe_intermediate_size=8,
                                norm_topk_prob=True, decoder_sparse_step=1, mlp_only_layers=[], rms_norm_eps=1e-6),
    "qwen3-moe-raw": Qwen3MoeConfig(**SMALL | dict(num_hidden_layers=1), vocab_size=23, num_experts=4,
                                    num_experts_per_tok=3, moe_intermediate_size=6, norm_topk_prob=False,
                                    mlp_only_layers=[], rms_norm_eps=1e-6),
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


def by_file_name(model, named):
    """Tensors by the names that files use: transformers 5 keeps the experts of a layer in two tensors."""
    ffn = getattr(model.config, "moe_intermediate_size", None)
    result = {}
    for name, value in named.items():
        if name.endswith("experts.gate_up_proj"):
            for e, matrix in enumerate(value):
                result[name.replace("gate_up_proj", f"{e}.gate_proj.weight")] = matrix[:ffn]
                result[name.replace("gate_up_proj", f"{e}.up_proj.weight")] = matrix[ffn:]
        elif name.endswith("experts.down_proj"):
            for e, matrix in enumerate(value):
                result[name.replace("down_proj", f"{e}.down_proj.weight")] = matrix
        else:
            result[name] = value
    return result


def balance_loss(model, tokens, mask):
    """Each sequence's load-balancing loss as transformers computes it, weighted by its masked tokens."""
    total, at = 0.0, 0
    for length in LENGTHS:
        masked = mask[at:at + length].sum()
        logits = model(tokens[None, at:at + length], output_router_logits=True).router_logits
        at += length
        total = total + masked * load_balancing_loss_func(logits, model.config.num_experts,
                                                          model.config.num_experts_per_tok)
    return total / mask.sum()


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
    return by_file_name(model, {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None})


def train(model, tokens, data, steps):
    decayed = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() == 1]
    groups = [dict(params=decayed, weight_decay=ADAMW["weightDecay"]), dict(params=rest, weight_decay=0.0)]
    optimizer = torch.optim.AdamW(groups, lr=ADAMW["lr"], betas=(ADAMW["beta1"], ADAMW["beta2"]), eps=ADAMW["eps"])
    losses, norms, moments = [], [], {}
    for step in range(steps):
        optimizer.zero_grad()
        loss = cross_entropy(distributions(model, tokens)[0], data)
        loss.backward()
        losses.append(loss.item())
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), ADAMW["maxGradNorm"]).item())
        optimizer.step()
        if step == 4:
            states = {name: optimizer.state[p] for name, p in model.named_parameters()}
            for ours, theirs in (("moment1", "exp_avg"), ("moment2", "exp_avg_sq")):
                values = by_file_name(model, {name: state[theirs].clone() for name, state in states.items()})
                moments |= {f"{ours}.{name}": value for name, value in values.items()}
    return losses, norms, moments


def make(name, config):
    torch.manual_seed(len(name))
    folder = HERE / name
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager", experts_implementation="eager")
    for p in model.parameters():  # livelier than the default initialisation, norms and biases included
        p.data = p.data + torch.randn_like(p) * 0.15
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    model = model.double().eval()

    n = sum(LENGTHS)
    tokens = torch.randint(0, config.vocab_size, (n,))
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
    logits = model(tokens[None, :LENGTHS[0]]).logits[0].detach()
    extra = {}
    if hasattr(config, "num_experts"):
        extra["balance"] = balance_loss(model, tokens, mask)
        tensors_of_balance = gradients(model, extra["balance"])
        extra["balance"] = extra["balance"].item()
    losses, norms, moments = train(model, tokens, data, 10)

    tensors = {f"policy.{k}": v for k, v in policy.items()} | moments | {"logits": logits}
    if name in ("tied", "untied"):  # once is enough: the families differ in the trunk alone
        tensors |= {f"cross_entropy.{k}": v for k, v in supervised.items()}
    if extra:
        tensors |= {f"balance.{k}": v for k, v in tensors_of_balance.items() if "gate.weight" in k or "embed" in k or "norm" in k}
    tensors |= {"logp": logp.detach(), "entropy": entropy.detach()}
    tensors |= {k: data[k] for k in ("advantages", "oldLogp", "rolloutLogp")}
    save_file({k: v.float().contiguous() for k, v in tensors.items()}, folder / "expected.safetensors")
    summary = {
        "tokens": tokens.tolist(), "starts": starts, "lossMask": mask.int().tolist(), "loss": LOSS, "adamw": ADAMW,
        "policyLoss": loss.item(), "clipFraction": clip_fraction.item(), "crossEntropy": supervised_loss.item(),
        "greedy": greedy.tolist(), "losses": losses, "gradNorms": norms,
    } | extra
    (folder / "expected.json").write_text(json.dumps(summary) + "\n")


for case, config in CASES.items():
    make(case, config)
