package dev.cotenant.plugin;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.workload.Precision;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a regressor may look at, named as {@code cotenant features --json} and, after {@code
 * device_}, as {@code cotenant devices --json} name it.
 */
enum InputFeature {
  MULTIPLY_ACCUMULATES,
  FLOPS,
  PARAMETERS,
  MODEL_SIZE_BYTES,
  ACTIVATION_BYTES,
  INPUT_BYTES,
  CONVOLUTION_LAYERS,
  LINEAR_LAYERS,
  ACTIVATION_LAYERS,
  OTHER_LAYERS,
  NORMALIZATION_LAYERS,
  BATCH_SIZE,
  DEVICE_MEMORY_BYTES,
  DEVICE_FP32_TERAFLOPS,
  DEVICE_TF32_TERAFLOPS,
  DEVICE_FP16_TERAFLOPS,
  DEVICE_BF16_TERAFLOPS,
  DEVICE_BANDWIDTH_GIGABYTES_PER_SECOND,
  DEVICE_STREAMING_MULTIPROCESSORS,
  DEVICE_L2_CACHE_BYTES,
  DEVICE_BOARD_POWER_WATTS;

  /** The feature of a published name. */
  static Optional<InputFeature> find(String name) {
    return Arrays.stream(values()).filter(feature -> feature.key().equals(name)).findFirst();
  }

  /** All names, for messages. */
  static String keys() {
    return Arrays.stream(values()).map(InputFeature::key).collect(Collectors.joining(", "));
  }

  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Its value for a model at a batch on a device; at least 0. */
  double of(ModelFeatures model, Device device) {
    return switch (this) {
      case MULTIPLY_ACCUMULATES -> model.multiplyAccumulates();
      case FLOPS -> model.flops();
      case PARAMETERS -> model.parameters();
      case MODEL_SIZE_BYTES -> model.modelSize().bytes();
      case ACTIVATION_BYTES -> model.activations().bytes();
      case INPUT_BYTES -> model.inputs().bytes();
      case CONVOLUTION_LAYERS -> model.layers().convolution();
      case LINEAR_LAYERS -> model.layers().linear();
      case ACTIVATION_LAYERS -> model.layers().activation();
      case OTHER_LAYERS -> model.layers().other();
      case NORMALIZATION_LAYERS -> model.normalizations();
      case BATCH_SIZE -> model.batchSize();
      case DEVICE_MEMORY_BYTES -> device.memory().bytes();
      case DEVICE_FP32_TERAFLOPS -> device.peak().teraflops(Precision.FP32);
      case DEVICE_TF32_TERAFLOPS -> device.peak().teraflops(Precision.TF32);
      case DEVICE_FP16_TERAFLOPS -> device.peak().teraflops(Precision.FP16);
      case DEVICE_BF16_TERAFLOPS -> device.peak().teraflops(Precision.BF16);
      case DEVICE_BANDWIDTH_GIGABYTES_PER_SECOND -> device.bandwidthGigabytesPerSecond();
      case DEVICE_STREAMING_MULTIPROCESSORS -> device.streamingMultiprocessors();
      case DEVICE_L2_CACHE_BYTES -> device.l2Cache().bytes();
      case DEVICE_BOARD_POWER_WATTS -> device.boardPowerWatts();
    };
  }
}
