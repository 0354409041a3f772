package dev.cotenant.predictor.model;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.workload.Precision;
import java.util.Locale;

/**
 * Split variables of the trees, in the order of the vector: the seven features of [UtilPred, Table
 * 2], the device as catalogue numbers, and the activation bytes that only the memory forest uses.
 *
 * <p>The order is part of the file format: a change needs a new version of {@link ModelFile}.
 */
public enum Feature {
  CONVOLUTION_LAYERS(0, "convolution layers", Kind.COUNT),
  LINEAR_LAYERS(1, "linear layers", Kind.COUNT),
  ACTIVATION_LAYERS(2, "activation layers", Kind.COUNT),
  OTHER_LAYERS(3, "other layers", Kind.COUNT),
  MODEL_SIZE_MIB(4, "model size in MiB", Kind.AMOUNT),
  GIGAFLOPS(5, "GFLOPs per batch", Kind.AMOUNT),
  BATCH_SIZE(6, "batch size", Kind.AMOUNT),
  FP32_TERAFLOPS(7, "fp32 peak in TFLOP/s", Kind.DEVICE),
  BANDWIDTH(8, "bandwidth in GB/s", Kind.DEVICE),
  STREAMING_MULTIPROCESSORS(9, "SMs", Kind.DEVICE),
  DEVICE_MEMORY_GIB(10, "device memory in GiB", Kind.DEVICE),
  ACTIVATIONS_MIB(11, "activations in MiB", Kind.AMOUNT);

  private static final Feature[] ALL = values();

  private enum Kind {
    COUNT,
    /** Spans orders of magnitude and enters as log1p: a split falls at the geometric middle. */
    AMOUNT,
    /** Says nothing about the model; the device id distinguishes devices. */
    DEVICE
  }

  private final String description;
  private final Kind kind;
  private final int index;

  /**
   * @param index its place in the vector, which files rely on
   */
  Feature(int index, String description, Kind kind) {
    this.index = index;
    this.description = description;
    this.kind = kind;
  }

  /** Vector of a model on a device, in the order of this enum; all values finite. */
  public static float[] encode(ModelFeatures model, Device device) {
    float[] vector = new float[ALL.length];
    for (int i = 0; i < vector.length; i++) {
      vector[i] = ALL[i].encoded(ALL[i].valueOf(model, device));
    }
    return vector;
  }

  static int count() {
    return ALL.length;
  }

  static Feature at(int index) {
    return ALL[index];
  }

  private double valueOf(ModelFeatures model, Device device) {
    return kind == Kind.DEVICE ? valueOf(device) : valueOf(model);
  }

  private double valueOf(Device device) {
    return switch (this) {
      case FP32_TERAFLOPS -> device.peak().teraflops(Precision.FP32);
      case BANDWIDTH -> device.bandwidthGigabytesPerSecond();
      case STREAMING_MULTIPROCESSORS -> device.streamingMultiprocessors();
      case DEVICE_MEMORY_GIB -> device.memory().toGiB();
      default -> throw new IllegalStateException(this + " is none of the device's");
    };
  }

  private double valueOf(ModelFeatures model) {
    return switch (this) {
      case CONVOLUTION_LAYERS -> model.layers().convolution();
      case LINEAR_LAYERS -> model.layers().linear();
      case ACTIVATION_LAYERS -> model.layers().activation();
      case OTHER_LAYERS -> model.layers().other();
      case MODEL_SIZE_MIB -> model.modelSize().toMiB();
      case GIGAFLOPS -> model.flops() / 1e9;
      case BATCH_SIZE -> model.batchSize();
      case ACTIVATIONS_MIB -> model.activations().toMiB();
      default -> throw new IllegalStateException(this + " is none of the model's");
    };
  }

  /** Encoded value of this feature in a vector. */
  public float of(float[] vector) {
    return vector[index];
  }

  boolean describesModel() {
    return kind != Kind.DEVICE;
  }

  /** For people: {@code convolution layers 53 (training had 0 to 30)}. */
  String describeOutside(ModelFeatures model, float lowest, float highest) {
    return description
        + " "
        + format(valueOf(model))
        + " (training had "
        + format(decoded(lowest))
        + " to "
        + format(decoded(highest))
        + ")";
  }

  /** As trees see this feature, which must describe the model. */
  float encoded(ModelFeatures model) {
    return encoded(valueOf(model));
  }

  private float encoded(double value) {
    return (float) (kind == Kind.AMOUNT ? Math.log1p(value) : value);
  }

  private double decoded(float encoded) {
    return kind == Kind.AMOUNT ? Math.expm1(encoded) : encoded;
  }

  private static String format(double value) {
    String pattern = value >= 1000 ? "%.0f" : value >= 1 ? "%.2f" : "%.3g";
    String digits = String.format(Locale.ROOT, pattern, value);
    return digits.contains(".") && !digits.contains("e")
        ? digits.replaceFirst("\\.?0+$", "")
        : digits;
  }
}
