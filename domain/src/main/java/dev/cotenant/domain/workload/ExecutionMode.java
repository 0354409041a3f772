package dev.cotenant.domain.workload;

import dev.cotenant.domain.InputException;
import java.util.Locale;

/** Whether a workload trains its model or serves it. */
public enum ExecutionMode {
  TRAINING,
  INFERENCE;

  /** Reads {@code training} or {@code inference}. */
  public static ExecutionMode parse(String text) {
    return switch (text) {
      case "training" -> TRAINING;
      case "inference" -> INFERENCE;
      default ->
          throw InputException.invalidArgument(
              "unknown-mode", "Unknown mode '" + text + "': use training or inference.");
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
