"""Training steps of the shapes of main.cpp in PyTorch on the same GPU, to compare with: fp32 weights and moments, bf16
products (autocast), fused AdamW, attention over packed sequences as a batch.
torch_step.py 0.6b|7.6b eager|compile [steps] [tokens] [sequence length]"""

import sys
import time

try:
    import torch
    from transformers import AutoModelForCausalLM, Qwen2Config, Qwen3Config
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(0)

shape, mode = sys.argv[1:3]
steps, tokens, length = (int(value) for value in (sys.argv[3:] + ["6", "8192", "2048"][len(sys.argv) - 3 :]))
if not torch.cuda.is_available():
    print("skipped: PyTorch finds no CUDA device")
    sys.exit(0)
common = {"num_hidden_layers": 28, "max_position_embeddings": 32768, "attn_implementation": "sdpa"}
if shape == "0.6b":
    config = Qwen3Config(vocab_size=151936, hidden_size=1024, num_attention_heads=16, num_key_value_heads=8, head_dim=128,
                         intermediate_size=3072, tie_word_embeddings=True, **common)
else:
    config = Qwen2Config(vocab_size=152064, hidden_size=3584, num_attention_heads=28, num_key_value_heads=4,
                         intermediate_size=18944, tie_word_embeddings=False, **common)
torch.manual_seed(1)
with torch.device("cuda"):
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
forward = torch.compile(model) if mode == "compile" else model
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, weight_decay=0.1, fused=True)
ids = torch.randint(config.vocab_size, (tokens // length, length), device="cuda")
times = []
try:
    for step in range(steps):
        torch.cuda.synchronize()
        began = time.perf_counter()
        with torch.autocast("cuda", torch.bfloat16):
            loss = forward(input_ids=ids, labels=ids).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - began)
except torch.cuda.OutOfMemoryError as full:
    print(f"  out of memory: {str(full).split('.')[0]}")
    sys.exit(0)
times = sorted(times[1:])
median = times[len(times) // 2]
print(f"  median {median * 1e3:.1f} ms a step, {tokens / median:.0f} tokens/s, "
      f"peak memory {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")
