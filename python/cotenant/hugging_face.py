"""A callback for the Trainer of Hugging Face Transformers."""

from __future__ import annotations

from typing import Any

from .reporting import Reporter, optimizer_name

try:
    from transformers import TrainerCallback
except ImportError as error:
    raise ImportError("cotenant.hugging_face needs transformers: pip install transformers") from error


class CotenantCallback(TrainerCallback):
    """Reports a training as a measured run: ``Trainer(…, callbacks=[CotenantCallback("my-model")])``.

    Batch size, precision, optimizer and checkpointing are the Trainer's; a step is a forward and backward pass, also where
    gradients of several are accumulated. Evaluations, checkpoints and ends of epochs are no part of one. A training of several
    processes or GPUs is not reported.

    :param model: a name that is registered at the service
    :param settings: those of :class:`cotenant.measure`, and fields of the row in place of the Trainer's
    """

    def __init__(self, model: str, **settings: Any):
        self._reporter = Reporter(model, settings)

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if not getattr(state, "is_world_process_zero", True):
            return
        self._reporter.begin(
            batch_size=args.per_device_train_batch_size,
            precision=precision_of(args),
            optimizer=optimizer_name(str(getattr(args.optim, "value", args.optim))),
            processes=max(getattr(args, "world_size", 1), getattr(args, "n_gpu", 1)),
            checkpointing="segments" if getattr(args, "gradient_checkpointing", False) else "none",
        )

    def on_substep_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._reporter.step()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._reporter.step()

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._reporter.interrupt()

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._reporter.interrupt()

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._reporter.interrupt()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._reporter.end()


def precision_of(args: Any) -> str:
    if getattr(args, "bf16", False):
        return "amp-bf16"
    if getattr(args, "fp16", False):
        return "amp"
    return "tf32" if getattr(args, "tf32", False) else "fp32"
