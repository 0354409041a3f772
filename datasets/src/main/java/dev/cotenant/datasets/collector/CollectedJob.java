package dev.cotenant.datasets.collector;

import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A job as the collector writes it: {@code resnet50/64/training/tf32}, or {@code
 * …/inference/fp32/poisson:0.5} where requests arrive at random.
 *
 * @param text as written
 * @param model with its options, {@code resnet18:image=32}
 * @param batch samples, at least 1
 * @param settings mode and precision
 */
record CollectedJob(String text, String model, int batch, RunSettings settings) {
  private static final Pattern JOB =
      Pattern.compile("([^/\\s]+)/([1-9][0-9]{0,6})/([a-z]+)/([a-z0-9]+)(/.*)?");

  /** Reads a job in a closed loop; jobs with arrivals do not measure mutual slowdown. */
  static CollectedJob parse(String text) {
    Matcher parts = JOB.matcher(text);
    if (!parts.matches()) {
      throw new UnusableRowException("job '" + text + "' is not MODEL/BATCH/MODE/PRECISION");
    }
    if (parts.group(5) != null) {
      throw new UnusableRowException(
          "job '"
              + text
              + "' has arrivals: only jobs in a closed loop say what they do to each other");
    }
    try {
      return new CollectedJob(
          text,
          parts.group(1),
          Integer.parseInt(parts.group(2)),
          settings(ExecutionMode.parse(parts.group(3)), Precision.parse(parts.group(4))));
    } catch (InputException e) {
      throw new UnusableRowException(e.getMessage());
    }
  }

  /**
   * The settings of a job: the collector trains {@code fp16} and {@code bf16} by automatic mixed
   * precision, and converts the weights for inference.
   */
  static RunSettings settings(ExecutionMode mode, Precision precision) {
    if (mode == ExecutionMode.INFERENCE) {
      return RunSettings.of(mode, precision);
    }
    return RunSettings.of(
        mode,
        switch (precision) {
          case FP16 -> Precision.AMP;
          case BF16 -> Precision.AMP_BF16;
          case FP32, TF32, AMP, AMP_BF16 -> precision;
        });
  }

  boolean isTraining() {
    return settings.mode() == ExecutionMode.TRAINING;
  }

  /** Batch, mode and precision, for people. */
  String configuration() {
    return "b" + batch + " " + settings.mode() + " " + settings.precision();
  }
}
