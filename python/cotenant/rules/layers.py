"""Convolutions, normalisation, pooling, embeddings, losses and resizing."""

from __future__ import annotations

from typing import Any, Sequence

from ..calls import Call, Value
from .conversion import Conversion, rule


def spatial(value: Any, count: int, default: int) -> list[int]:
    """A setting for each spatial axis; one number holds for all."""
    if value is None or (not isinstance(value, int) and len(value) == 0):
        return [default] * count
    if isinstance(value, int):
        return [value] * count
    return [int(value[0])] * count if len(value) == 1 else [int(v) for v in value]


def same_padding(weight: Value, dilation: Sequence[int]) -> list[int]:
    total = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:])]
    return [t // 2 for t in total] + [t - t // 2 for t in total]


@rule("convolution", "_convolution", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
      "mkldnn_convolution", "cudnn_convolution")  # fmt: skip
def convolution(conversion: Conversion, call: Call) -> None:
    data, weight = call["input" if "input" in call.arguments else "self"], call["weight"]
    count = weight.rank - 2
    is_turned = call.get("transposed", call.base.startswith("conv_transpose"))
    dilation = spatial(call.get("dilation"), count, 1)
    padding = call.get("padding")
    if isinstance(padding, str):
        pads = same_padding(weight, dilation) if padding == "same" else [0] * 2 * count
    else:
        pads = spatial(padding, count, 0) * 2
    unbatched = data.rank == count + 1
    source = conversion.reshaped(data, [1, *data.shape]) if unbatched else data
    inputs = [source, weight, *([] if call.get("bias") is None else [call["bias"]])]
    result = conversion.inner(
        "ConvTranspose" if is_turned else "Conv",
        inputs,
        kernel_shape=list(weight.shape[2:]),
        strides=spatial(call.get("stride"), count, 1),
        pads=pads,
        dilations=dilation,
        group=call.get("groups", 1),
        output_padding=spatial(call.get("output_padding"), count, 0) if is_turned else None,
    )
    if unbatched:
        conversion.reshape(result, call.output)
    else:
        conversion.names[call.output.name] = result


@rule("native_batch_norm", "batch_norm", "cudnn_batch_norm", "miopen_batch_norm", "_native_batch_norm_legit",
      "_native_batch_norm_legit_no_training", "_batch_norm_with_update", "_batch_norm_no_update", "_batch_norm_impl_index")  # fmt: skip
def batch_norm(conversion: Conversion, call: Call) -> None:
    inputs = [call.get(name) for name in ("input", "weight", "bias", "running_mean", "running_var")]
    if inputs[3] is None:
        conversion.emit("InstanceNormalization", inputs[:3], call.output)
    else:
        conversion.emit("BatchNormalization", inputs, call.output)


@rule("native_layer_norm", "layer_norm")
def layer_norm(conversion: Conversion, call: Call) -> None:
    inputs = [call["input"], call.get("weight"), *([] if call.get("bias") is None else [call["bias"]])]
    conversion.emit("LayerNormalization", inputs, call.output, axis=-len(call["normalized_shape"]))


@rule("rms_norm", "_fused_rms_norm")
def rms_norm(conversion: Conversion, call: Call) -> None:
    inputs = [call["input"], call.get("weight")]
    conversion.emit("RMSNormalization", inputs, call.output, axis=-len(call["normalized_shape"]))


@rule("native_group_norm", "group_norm")
def group_norm(conversion: Conversion, call: Call) -> None:
    inputs = [call["input"], call.get("weight"), call.get("bias")]
    conversion.emit("GroupNormalization", inputs, call.output, num_groups=call.get("num_groups", call.get("group", 1)))


@rule("instance_norm")
def instance_norm(conversion: Conversion, call: Call) -> None:
    conversion.emit("InstanceNormalization", [call["input"], call.get("weight"), call.get("bias")], call.output)


@rule("max_pool1d", "max_pool2d", "max_pool3d", "max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices",
      "avg_pool1d", "avg_pool2d", "avg_pool3d")  # fmt: skip
def pooling(conversion: Conversion, call: Call) -> None:
    data, count = call["self"], int(call.base[8])
    kernel = spatial(call["kernel_size"], count, 1)
    is_maximum = call.base.startswith("max")
    settings: dict[str, Any] = {
        "kernel_shape": kernel,
        "strides": kernel if not call.get("stride") else spatial(call["stride"], count, 1),
        "pads": spatial(call.get("padding"), count, 0) * 2,
        "ceil_mode": int(call.get("ceil_mode", False)),
        "dilations": spatial(call.get("dilation"), count, 1) if is_maximum else None,
    }
    pool(conversion, "MaxPool" if is_maximum else "AveragePool", data, call.output, count, settings)


def pool(conversion: Conversion, operator: str, data: Value, output: Value, count: int, settings: dict[str, Any]) -> None:
    if data.rank == count + 2:
        conversion.emit(operator, [data], output, **settings)
    else:
        widened = conversion.reshaped(data, [1, *data.shape])
        conversion.reshape(conversion.inner(operator, [widened], **settings), output)


@rule("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "_adaptive_avg_pool2d", "_adaptive_avg_pool3d",
      "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")  # fmt: skip
def adaptive_pooling(conversion: Conversion, call: Call) -> None:
    data, output = call["self"], call.output
    is_maximum, count = "max" in call.base, int(call.base[-2])
    before, after = data.shape[-count:], output.shape[-count:]
    if all(extent == 1 for extent in after):
        pool(conversion, "GlobalMaxPool" if is_maximum else "GlobalAveragePool", data, output, count, {})
        return
    strides = [max(1, b // a) for b, a in zip(before, after)]
    kernel = [max(1, b - (a - 1) * s) for b, a, s in zip(before, after, strides)]
    if any((a - 1) * s + k > b for a, s, k, b in zip(after, strides, kernel, before)):  # more answers than pixels
        conversion.emit("Resize", [data, None, None, conversion.graph.integers(output.shape)], output)
        return
    settings = {"kernel_shape": kernel, "strides": strides}
    pool(conversion, "MaxPool" if is_maximum else "AveragePool", data, output, count, settings)


@rule("embedding")
def embedding(conversion: Conversion, call: Call) -> None:
    conversion.emit("Gather", [call["weight"], call["indices"]], call.output, axis=0)


@rule("_embedding_bag", "embedding_bag", "_embedding_bag_forward_only")
def embedding_bag(conversion: Conversion, call: Call) -> None:
    output = call.output
    found = conversion.inner("Gather", [call["weight"], call["indices"]], axis=0)
    rows = call["indices"].elements // max(1, output.shape[0])
    if rows * output.shape[0] == call["indices"].elements:
        found = conversion.reshaped(found, [output.shape[0], rows, output.shape[1]])
        conversion.emit("ReduceSum", [found, conversion.graph.integers([1])], output, keepdims=0)
    else:
        conversion.emit("Slice", [found, *(conversion.graph.integers([v]) for v in (0, output.shape[0], 0))], output)


@rule("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "_upsample_nearest_exact1d", "_upsample_nearest_exact2d",
      "upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d", "_upsample_bilinear2d_aa",
      "_upsample_bicubic2d_aa")  # fmt: skip
def resize(conversion: Conversion, call: Call) -> None:
    output = call.output
    mode = "nearest" if "nearest" in call.base else "cubic" if "cubic" in call.base else "linear"
    source = next(call.values())
    scales = conversion.inner("ConstantOfShape", [conversion.graph.integers([0])], "no_scales")
    sizes = conversion.graph.integers(output.shape)
    conversion.emit("Resize", [source, None, scales, sizes], output, mode=mode)


@rule("grid_sampler", "grid_sampler_2d", "grid_sampler_3d")
def grid_sample(conversion: Conversion, call: Call) -> None:
    conversion.emit("GridSample", [call["input"], call["grid"]], call.output)


@rule("nll_loss", "nll_loss_forward", "nll_loss2d_forward", "nll_loss_nd", "cross_entropy_loss")
def class_loss(conversion: Conversion, call: Call) -> None:
    operator = "SoftmaxCrossEntropyLoss" if call.base == "cross_entropy_loss" else "NegativeLogLikelihoodLoss"
    reduction = ("none", "mean", "sum")[call.get("reduction", 1)]
    conversion.emit(operator, [call["self"], call["target"]], call.output, reduction=reduction)


@rule("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits")
def difference_loss(conversion: Conversion, call: Call) -> None:
    difference = conversion.inner("Sub", [call["self"], call["target"]])
    output = call.output
    if output.rank == 0:
        conversion.emit("ReduceMean", [conversion.inner("Mul", [difference, difference])], output, keepdims=0)
    else:
        conversion.emit("Mul", [difference, difference], output)
