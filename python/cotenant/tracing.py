"""Traces a model without a GPU and without its weights: FakeTensors run through it, and ATen calls are recorded.

One recorder serves every PyTorch from 1.13 on, below autograd and above kernels, so that Python of the model runs
as it is; only what depends on values of tensors cannot. ``torch.export`` is no step in between: it refuses more models,
needs minutes for large ones, and PyTorch 1.13 does not have it. Programs that it exported are read all the same.
"""

from __future__ import annotations

import contextlib
import dataclasses
import traceback
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from .calls import Call, Trace, Value
from .errors import DataDependentError, InputError, TraceError

MAX_CALLS = 200_000

#: Calls that compute nothing, and those of autograd's own bookkeeping.
SILENT = {"aten.detach.default", "prim.device.default", "aten.sym_size.int", "aten.is_same_size.default"}
#: What torch.tensor(…) in a model calls on its numbers.
LITERAL = {"aten.lift_fresh.default", "aten.lift_fresh_copy.default", "aten.lift.default"}
RECURRENT = {"lstm", "gru", "rnn_tanh", "rnn_relu"}
#: Errors of PyTorch about values or extents that a trace does not have, in any of its versions.
DATA_DEPENDENT = {
    "DataDependentOutputException",
    "DynamicOutputShapeException",
    "GuardOnDataDependentSymNode",
    "PendingUnbackedSymbolNotFound",
}
#: Operators that read values; PyTorch 1.13 says only that it cannot run them.
READING_VALUES = ("aten::_local_scalar_dense", "aten::nonzero", "aten::equal", "aten::masked_select", "aten::unique")


def dtype_name(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).replace("torch.", "")


class Recorder(TorchDispatchMode):
    """Records the calls under it. Tensors that were never seen are constants of the model."""

    def __init__(self, trace: Trace, fake: FakeTensorMode):
        super().__init__()
        self.trace = trace
        self.fake = fake
        self.names: dict[int, Value] = {}
        self.alive: list[Any] = []
        self.foreign: dict[int, Any] = {}
        self.is_silent = False

    def name(self, tensor: torch.Tensor, stem: str, is_stored: bool = False) -> Value:
        value = Value(f"{stem}", tuple(int(e) for e in tensor.shape), dtype_name(tensor), is_stored)
        self.names[id(tensor)] = value
        self.alive.append(tensor)
        return value

    def constant(self, tensor: torch.Tensor) -> Value:
        value = self.name(tensor, f"constant_{len(self.trace.stored)}", is_stored=True)
        self.trace.stored.append(value)
        return value

    def value(self, tensor: torch.Tensor) -> Value:
        known = self.names.get(id(tensor))
        if known is not None:
            return known
        if any(tensor is fake for _, fake in self.foreign.values()):
            return self.constant(tensor)
        # PyTorch 1.13 gives the model another object than the one that a factory such as arange returned here.
        made = self.name(tensor, f"made_{len(self.trace.calls)}_{len(self.alive)}")
        self.trace.calls.append(Call("aten.zeros.default", {}, (made,)))
        return made

    def to_fake(self, item: Any) -> Any:
        """A real tensor that the model keeps outside of its parameters and buffers becomes a fake one."""
        if not isinstance(item, torch.Tensor) or isinstance(item, FakeTensor):
            return item
        if id(item) not in self.foreign:
            self.foreign[id(item)] = (item, empty_like(item))  # the mode of fake tensors is on
        return self.foreign[id(item)][1]

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        args, kwargs = mapped(args, self.to_fake), mapped(dict(kwargs or {}), self.to_fake)
        if str(function) in LITERAL:
            return args[0]
        result = function(*args, **kwargs)
        if not self.is_silent and str(function) not in SILENT:
            self.record(str(function), arguments_of(function, args, kwargs), result)
        return result

    def record(self, operator: str, arguments: Mapping[str, Any], result: Any) -> None:
        if len(self.trace.calls) >= MAX_CALLS:
            raise TraceError(
                f"the model calls more than {MAX_CALLS:,} operators: a loop over steps or tokens is unrolled; shorten the "
                "example input"
            )
        named = mapped(arguments, lambda item: self.value(item) if isinstance(item, torch.Tensor) else item)
        results = result if isinstance(result, (tuple, list)) else (result,)
        stem = operator.split(".")[1] if "." in operator else operator
        outputs = tuple(
            self.name(item, f"{stem}_{len(self.trace.calls)}_{i}") if isinstance(item, torch.Tensor) else None
            for i, item in enumerate(results)
        )
        self.trace.calls.append(Call(operator, named, outputs))


class RecurrentLayers(TorchFunctionMode):
    """Records LSTM, GRU and RNN whole; PyTorch would show the operators of every time step."""

    def __init__(self, recorder: Recorder):
        super().__init__()
        self.recorder = recorder

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(function, "__name__", "")
        if name not in RECURRENT or len(args) != 9 or not isinstance(args[2], (list, tuple)):
            return function(*args, **(kwargs or {}))  # packed sequences have lengths, which are values
        self.recorder.is_silent = True
        try:
            results = self.results(name, *args)
        finally:
            self.recorder.is_silent = False
        names = ("input", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional", "batch_first")
        self.recorder.record(f"aten.{name}.input", dict(zip(names, args)), results)
        return results

    @staticmethod
    def results(name: str, data: Any, hx: Any, *settings: Any) -> tuple[torch.Tensor, ...]:
        is_bidirectional, batch_first = settings[5], settings[6]
        state = tuple(hx) if isinstance(hx, (list, tuple)) else (hx,)
        width = state[0].shape[-1] * (2 if is_bidirectional else 1)
        output = data.new_empty(*data.shape[:-1], width)
        return (output, *(torch.empty_like(part) for part in state))


def arguments_of(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by name, defaults included."""
    schema = function._schema.arguments
    result = {a.name: a.default_value for a in schema if a.has_default_value()}
    result.update({a.name: value for a, value in zip(schema, args)})
    result.update(kwargs)
    return result


def mapped(nested: Any, change: Callable[[Any], Any]) -> Any:
    """The same structure with every leaf changed."""
    if isinstance(nested, dict):
        return {key: mapped(item, change) for key, item in nested.items()}
    if isinstance(nested, tuple) and hasattr(nested, "_fields"):
        return type(nested)(*(mapped(item, change) for item in nested))
    if isinstance(nested, (tuple, list)):
        return type(nested)(mapped(item, change) for item in nested)
    return change(nested)


def tensors_in(nested: Any) -> Iterator[torch.Tensor]:
    """Tensors of an answer: of lists, mappings, data classes and objects like those of Transformers."""
    if isinstance(nested, torch.Tensor):
        yield nested
    elif isinstance(nested, Mapping):
        yield from tensors_in(tuple(nested.values()))
    elif isinstance(nested, (tuple, list)):
        for item in nested:
            yield from tensors_in(item)
    elif dataclasses.is_dataclass(nested) and not isinstance(nested, type):
        yield from tensors_in([getattr(nested, f.name) for f in dataclasses.fields(nested)])


def fake_of(tensor: torch.Tensor, fake: FakeTensorMode) -> torch.Tensor:
    """A tensor of the same shape on a CPU that is pretended, whatever device the original is on."""
    with fake:
        return empty_like(tensor)


def empty_like(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty(tuple(tensor.shape), dtype=tensor.dtype, device="cpu")


@contextlib.contextmanager
def without_weights(model: nn.Module, fake: FakeTensorMode, recorder: Recorder) -> Iterator[None]:
    """Puts a fake tensor in the place of each parameter and buffer for a while, a tied one everywhere."""
    originals: list[tuple[nn.Module, str, Any]] = []
    fakes: dict[int, Any] = {}
    try:
        for path, module in model.named_modules():
            for name, tensor in [*module._parameters.items(), *module._buffers.items()]:
                if tensor is None:
                    continue
                originals.append((module, name, tensor))
                if id(tensor) not in fakes:
                    fakes[id(tensor)] = stand_in(tensor, fake)
                    stored = recorder.name(fakes[id(tensor)], f"{path}.{name}" if path else name, is_stored=True)
                    recorder.trace.stored.append(stored)
                setattr(module, name, fakes[id(tensor)])
        yield
    finally:
        for module, name, tensor in originals:
            setattr(module, name, tensor)


def stand_in(tensor: torch.Tensor, fake: FakeTensorMode) -> torch.Tensor:
    """Parameters stay trainable, or transformers take a path of inference alone, whose operators are fused."""
    if nn.parameter.is_lazy(tensor):
        raise InputError("the model has lazy layers without a shape: run it once, or give their sizes")
    replaced = fake_of(tensor, fake)
    if isinstance(tensor, nn.Parameter):
        return nn.Parameter(replaced, requires_grad=replaced.is_floating_point())
    return replaced


@contextlib.contextmanager
def in_evaluation(model: nn.Module) -> Iterator[None]:
    """Evaluation mode for a while: the graph is that of a forward pass, training is derived from it."""
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        yield
    finally:
        for module in training:
            module.training = True


def arguments_for_call(example_inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(example_inputs, Mapping):
        return (), dict(example_inputs)
    if isinstance(example_inputs, (tuple, list)):
        return tuple(example_inputs), {}
    return (example_inputs,), {}


def made(model: Any, fake: FakeTensorMode) -> nn.Module:
    """The model, or what a function without parameters makes, whose weights then never exist."""
    if isinstance(model, nn.Module):
        return model
    if not callable(model):
        raise InputError(
            f"model is a {type(model).__name__}: pass a torch.nn.Module, a function that makes one, an exported program, or "
            "the path of a .pt2 or .onnx file"
        )
    with fake:
        result = model()
    if not isinstance(result, nn.Module):
        raise InputError(f"the function made a {type(result).__name__}, not a torch.nn.Module")
    return result


def trace(model: Any, example_inputs: Any) -> Trace:
    """The operators of one forward pass.

    :param model: a module on any device, ``meta`` included, or a function without parameters that makes one
    :param example_inputs: a tensor, the positional arguments, or a mapping of keyword arguments; values do not matter
    :raises TraceError: what the model does depends on values, or it fails with these inputs
    """
    args, kwargs = arguments_for_call(example_inputs)
    if not any(True for _ in tensors_in([args, kwargs])):
        raise InputError("example_inputs has no tensor")
    for tensor in tensors_in([args, kwargs]):
        if tensor.numel() == 0:
            raise InputError(f"example_inputs has an empty tensor of shape {tuple(tensor.shape)}: pass one sample or more")
    fake = FakeTensorMode(allow_fallback_kernels=False)
    module = made(model, fake)
    result = Trace(type(module).__name__, f"torch {torch.__version__}")
    recorder = Recorder(result, fake)

    def fake_input(item: Any) -> Any:
        if not isinstance(item, torch.Tensor):
            return item
        replaced = fake_of(item, fake)
        result.inputs.append(recorder.name(replaced, f"input_{len(result.inputs)}"))
        return replaced

    args, kwargs = mapped(args, fake_input), mapped(kwargs, fake_input)
    with without_weights(module, fake, recorder), in_evaluation(module), torch.enable_grad():
        try:
            with fake, recorder, RecurrentLayers(recorder):
                answer = module(*args, **kwargs)
        except TraceError:
            raise
        except Exception as error:
            raise explained(error, module) from error
    result.outputs = distinct(recorder.value(tensor) for tensor in tensors_in(answer))
    if not result.outputs:
        raise TraceError(f"{result.name} returns no tensor")
    return result


def distinct(values: Iterator[Value]) -> list[Value]:
    return list(dict.fromkeys(values))


def explained(error: Exception, module: nn.Module) -> TraceError:
    """Names the line of the model and what to do."""
    where = line_of_the_model(error)
    name = type(module).__name__
    kind = type(error).__name__
    message = str(error).strip().splitlines()[0][:300] if str(error).strip() else kind
    if kind in DATA_DEPENDENT or any(name in message for name in READING_VALUES):
        return DataDependentError(
            f"{name} depends on the values of tensors ({message}){where}: a trace has shapes alone. Replace .item(), "
            "nonzero(), masks as indices and branches on tensors, or trace the part without them"
        )
    if kind in ("NotImplementedError", "UnsupportedFakeTensorException", "UnsupportedOperatorException"):
        return TraceError(
            f"PyTorch {torch.__version__} cannot run {message} without data{where}: replace the operator, or use a newer PyTorch"
        )
    return TraceError(f"{name} fails with these example inputs: {kind}: {message}{where}")


def line_of_the_model(error: Exception) -> str:
    own = (torch.__path__[0], __file__)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(own)]
    return f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
