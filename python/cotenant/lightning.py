"""A callback for PyTorch Lightning."""

from __future__ import annotations

from typing import Any, Optional

from .reporting import PRECISIONS, Reporter, optimizer_name

try:
    from lightning.pytorch import Callback
except ImportError:
    try:
        from pytorch_lightning import Callback
    except ImportError as error:
        raise ImportError("cotenant.lightning needs lightning: pip install lightning") from error


class CotenantCallback(Callback):
    """Reports a training as a measured run: ``Trainer(callbacks=[CotenantCallback("my-model", batch_size=64)])``.

    Precision and optimizer are the Trainer's, the batch size the data loader's where it has one. Validations,
    checkpoints and ends of epochs are no part of a step. A training of several processes, or one that raises, is not reported.

    :param model: a name that is registered at the service
    :param settings: those of :class:`cotenant.measure`, and fields of the row in place of the Trainer's
    """

    def __init__(self, model: str, **settings: Any):
        super().__init__()
        self._reporter = Reporter(model, settings)

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        if not getattr(trainer, "is_global_zero", True):
            return
        self._reporter.begin(
            batch_size=getattr(getattr(trainer, "train_dataloader", None), "batch_size", None),
            precision=PRECISIONS.get(str(trainer.precision)),
            optimizer=optimizer_of(trainer),
            processes=getattr(trainer, "world_size", None),
        )

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        self._reporter.step()

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        self._reporter.interrupt()

    def on_save_checkpoint(self, trainer: Any, pl_module: Any, checkpoint: Any) -> None:
        self._reporter.interrupt()

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        self._reporter.interrupt()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self._reporter.end()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self._reporter.abandon()


def optimizer_of(trainer: Any) -> Optional[str]:
    optimizers = list(getattr(trainer, "optimizers", ()))
    if len(optimizers) != 1:
        return None
    momentum = optimizers[0].param_groups[0].get("momentum", 0.0)
    return optimizer_name(type(optimizers[0]).__name__, momentum)
