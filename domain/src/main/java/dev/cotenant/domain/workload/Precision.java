package dev.cotenant.domain.workload;

import dev.cotenant.domain.InputException;
import java.util.Locale;

/** The number format a workload computes in. */
public enum Precision {
  FP32,
  TF32,
  FP16,
  BF16;

  /** Reads {@code fp32}, {@code tf32}, {@code fp16} or {@code bf16}. */
  public static Precision parse(String text) {
    return switch (text) {
      case "fp32" -> FP32;
      case "tf32" -> TF32;
      case "fp16" -> FP16;
      case "bf16" -> BF16;
      default ->
          throw InputException.invalidArgument(
              "unknown-precision",
              "Unknown precision '" + text + "': use fp32, tf32, fp16 or bf16.");
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
