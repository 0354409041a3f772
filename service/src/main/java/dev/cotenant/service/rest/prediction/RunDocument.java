package dev.cotenant.service.rest.prediction;

import dev.cotenant.domain.workload.RunOptions;
import dev.cotenant.domain.workload.RunSettings;
import org.jspecify.annotations.Nullable;

/**
 * Run settings as fields of a document; absent ones are defaults.
 *
 * @param mode {@code training} or {@code inference}
 * @param precision such as {@code fp32} or {@code amp}
 * @param framework such as {@code pytorch}
 * @param optimizer of training, such as {@code adam}
 * @param checkpointing of activations in training: {@code none} or {@code segments}
 * @param requestRate requests per second of inference, one sample each
 * @param inputBoundPercent share of a training step that waits for input
 * @param utilizationLimitPercent the utilization that slow input of training allows at most
 */
public record RunDocument(
    @Nullable String mode,
    @Nullable String precision,
    @Nullable String framework,
    @Nullable String optimizer,
    @Nullable String checkpointing,
    @Nullable Double requestRate,
    @Nullable Double inputBoundPercent,
    @Nullable Double utilizationLimitPercent) {
  /**
   * The settings.
   *
   * @throws dev.cotenant.domain.InputException naming the field that is wrong
   */
  public RunSettings settings() {
    return RunOptions.read(this::text);
  }

  private @Nullable String text(String option) {
    return switch (option) {
      case RunOptions.MODE -> mode;
      case RunOptions.PRECISION -> precision;
      case RunOptions.FRAMEWORK -> framework;
      case RunOptions.OPTIMIZER -> optimizer;
      case RunOptions.CHECKPOINTING -> checkpointing;
      case RunOptions.REQUEST_RATE -> number(requestRate);
      case RunOptions.INPUT_BOUND -> number(inputBoundPercent);
      case RunOptions.UTILIZATION_LIMIT -> number(utilizationLimitPercent);
      default -> throw new IllegalArgumentException(option);
    };
  }

  private static @Nullable String number(@Nullable Double value) {
    return value == null ? null : String.valueOf(value);
  }
}
