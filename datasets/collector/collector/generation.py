"""Generates once with transformers and prints what it took, as one JSON line. Run by languages.py."""

import json
import sys
import time

GIB = 1 << 30


def main(model_name: str, prompt_tokens: int, generated_tokens: int, device: str) -> dict:
    try:
        import torch
        import transformers
    except ImportError as error:
        return {"status": "unsupported", "message": f"{error.name} is not installed"}
    loaded = transformers.AutoModelForCausalLM.from_pretrained(model_name, torch_dtype=torch.bfloat16, trust_remote_code=False)
    model = loaded.to(device)
    prompt = torch.ones((1, prompt_tokens), dtype=torch.long, device=device)
    counts = device == "cuda"
    if counts:
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
