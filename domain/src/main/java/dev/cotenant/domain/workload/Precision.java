package dev.cotenant.domain.workload;

/**
 * The number format of a workload's arithmetic. {@code AMP} and {@code AMP_BF16} are automatic
 * mixed precision: weights, gradients and optimizer states stay in fp32, an autocast computes
 * matrix products and convolutions in fp16 or bf16.
 */
public enum Precision {
  FP32,
  TF32,
  FP16,
  BF16,
  AMP,
  AMP_BF16;

  /**
   * Reads {@code fp32}, {@code tf32}, {@code fp16}, {@code bf16}, {@code amp}, {@code amp-bf16}.
   */
  public static Precision parse(String text) {
    return Choice.parse("precision", Precision.class, text);
  }

  /** The format of matrix products: fp16 or bf16 under an autocast. */
  public Precision arithmetic() {
    return switch (this) {
      case AMP -> FP16;
      case AMP_BF16 -> BF16;
      case FP32, TF32, FP16, BF16 -> this;
    };
  }

  /** Whether an autocast keeps fp32 weights beside half-precision arithmetic. */
  public boolean isMixed() {
    return this == AMP || this == AMP_BF16;
  }

  /** Bytes of one stored weight. */
  public int weightBytes() {
    return this == FP16 || this == BF16 ? 2 : 4;
  }

  /** Bytes of one element of a matrix product's result. */
  public int activationBytes() {
    return arithmetic() == FP16 || arithmetic() == BF16 ? 2 : 4;
  }

  @Override
  public String toString() {
    return Choice.text(this);
  }
}
