package dev.cotenant.cli.model;

import dev.cotenant.domain.workload.RunOptions;
import dev.cotenant.domain.workload.RunSettings;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a command that say how a model runs. */
final class SettingsOptions {
  private final Map<String, String> texts = new HashMap<>();

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description = "training (default) or inference (default with --request-rate).")
  void mode(@Nullable String text) {
    put(RunOptions.MODE, text);
  }

  @Option(
      names = "--precision",
      paramLabel = "FORMAT",
      description = "fp32 (default), tf32, fp16, bf16, amp or amp-bf16.")
  void precision(@Nullable String text) {
    put(RunOptions.PRECISION, text);
  }

  @Option(
      names = "--framework",
      paramLabel = "NAME",
      description =
          "pytorch (default), pytorch-1 (up to 1.12), pytorch-2 (from 1.13), tensorflow,"
              + " onnx-runtime or tensorrt.")
  void framework(@Nullable String text) {
    put(RunOptions.FRAMEWORK, text);
  }

  @Option(
      names = "--optimizer",
      paramLabel = "NAME",
      description = "Of training: adam (default), adamw, sgd, momentum, rmsprop or adagrad.")
  void optimizer(@Nullable String text) {
    put(RunOptions.OPTIMIZER, text);
  }

  @Option(
      names = "--checkpointing",
      paramLabel = "KIND",
      description = "Of activations in training: none (default) or segments.")
  void checkpointing(@Nullable String text) {
    put(RunOptions.CHECKPOINTING, text);
  }

  @Option(
      names = "--request-rate",
      paramLabel = "RATE",
      description = "Of inference: requests per second. One request is one sample.")
  void requestRate(@Nullable String text) {
    put(RunOptions.REQUEST_RATE, text);
  }

  @Option(
      names = "--input-bound",
      paramLabel = "PERCENT",
      description = "Of training: share of each step that the GPU waits for input.")
  void inputBound(@Nullable String text) {
    put(RunOptions.INPUT_BOUND, text);
  }

  @Option(
      names = "--utilization-limit",
      paramLabel = "PERCENT",
      description = "Of training: the utilization that slow input allows at most.")
  void utilizationLimit(@Nullable String text) {
    put(RunOptions.UTILIZATION_LIMIT, text);
  }

  private void put(String name, @Nullable String text) {
    if (text != null) {
      texts.put(name, text);
    }
  }

  /**
   * The stated settings.
   *
   * @throws dev.cotenant.domain.InputException when they are invalid
   */
  RunSettings settings() {
    return RunOptions.read(texts::get);
  }
}
