"""Generates once with transformers and prints what it took, as one JSON line. Run by languages.py."""

import contextlib
import json
import sys
import time
from pathlib import Path

GIB = 1 << 30


def load(torch, transformers, model_name: str, device: str):
    """The model in bf16. A folder of config.json alone gets random weights: neither memory nor speed depends on values."""
    folder = Path(model_name)
    if not folder.is_dir() or any(folder.glob("*.safetensors")) or any(folder.glob("*.bin")):
        loaded = transformers.AutoModelForCausalLM.from_pretrained(model_name, torch_dtype=torch.bfloat16, trust_remote_code=False)
        return loaded.to(device)
    config = transformers.AutoConfig.from_pretrained(model_name, trust_remote_code=False)
    torch.set_default_dtype(torch.bfloat16)
    target = torch.device(device)
    with target if hasattr(target, "__enter__") else contextlib.nullcontext():
        built = transformers.AutoModelForCausalLM.from_config(config, trust_remote_code=False)
    return built.to(device, torch.bfloat16).eval()


def main(model_name: str, prompt_tokens: int, generated_tokens: int, device: str) -> dict:
    try:
        import torch
        import transformers
    except ImportError as error:
        return {"status": "unsupported", "message": f"{error.name} is not installed"}
    model = load(torch, transformers, model_name, device)
    prompt = torch.ones((1, prompt_tokens), dtype=torch.long, device=device)
    counts = device == "cuda"
    if counts:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    begun = time.monotonic()
    with torch.no_grad():
        model.generate(
            prompt, attention_mask=torch.ones_like(prompt), do_sample=False,
            min_new_tokens=generated_tokens, max_new_tokens=generated_tokens,
        )  # fmt: skip
    if counts:
        torch.cuda.synchronize()
    seconds = time.monotonic() - begun
    weights = sum(value.numel() * value.element_size() for value in model.parameters())
    return {
        "transformers": transformers.__version__,
        "torch": torch.__version__,
        "memory_total_gib": (torch.cuda.max_memory_allocated() if counts else weights) / GIB,
        "reserved_gib": torch.cuda.max_memory_reserved() / GIB if counts else None,
        "tokens_per_s": generated_tokens / seconds,
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])))
