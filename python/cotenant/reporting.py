"""What the callbacks for training loops share."""

from __future__ import annotations

from typing import Any, Optional

from .measuring import LOG, measure

#: By the precision of Lightning's Trainer.
PRECISIONS = {
    "32": "fp32", "32-true": "fp32", "16": "amp", "16-mixed": "amp", "bf16": "amp-bf16", "bf16-mixed": "amp-bf16",
    "16-true": "fp16", "bf16-true": "bf16",
}  # fmt: skip
OPTIMIZERS = ("adamw", "adam", "sgd", "rmsprop", "adagrad")


def optimizer_name(name: str, momentum: float = 0.0) -> Optional[str]:
    """The catalogue's name of an optimizer, such as of ``AdamW`` or ``adamw_torch_fused``; None of any other."""
    plain = name.lower()
    found = next((known for known in OPTIMIZERS if plain == known or plain.startswith(known + "_")), None)
    return "momentum" if found == "sgd" and momentum > 0 else found


class Reporter:
    """One measured run of a training loop; a run that cannot be described is logged and not measured."""

    def __init__(self, model: str, settings: dict[str, Any]):
        self._model = model
        self._settings = settings
        self._run: Optional[measure] = None

    def begin(self, **described: Any) -> None:
        row = {**described, **self._settings}
        missing = [name for name in ("batch_size", "optimizer", "precision") if row.get(name) is None]
        if missing:
            LOG.warning(
                "cotenant: the run of %s is not measured: %s is unknown; pass it to the callback", self._model, " and ".join(missing)
            )
            return
        self._run = measure(self._model, mode="training", **row)
        self._run.__enter__()

    def step(self) -> None:
        if self._run is not None:
            self._run.step()

    def interrupt(self) -> None:
        """A validation, a checkpoint or the end of an epoch is no step."""
        if self._run is not None:
            self._run.interrupt()

    def end(self) -> None:
        run, self._run = self._run, None
        if run is not None:
            run.__exit__(None, None, None)

    def abandon(self) -> None:
        """The training failed."""
        run, self._run = self._run, None
        if run is not None:
            run.__exit__(RuntimeError, None, None)
