package dev.cotenant.predictor.correct;

import dev.cotenant.domain.device.DeviceId;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What one cluster's runs add to one base model. Immutable; {@link CorrectionFile} writes and reads
 * it.
 */
public final class Correction {
  private final Base base;
  private final FamilyIndex families;
  private final TargetCorrection utilization;
  private final TargetCorrection memory;

  /**
   * The model that is corrected.
   *
   * @param sha256 of its file, 64 hexadecimal digits
   * @param label what it calls itself
   */
  public record Base(String sha256, String label) {
    public Base {
      if (!sha256.matches("[0-9a-f]{64}")) {
        throw new IllegalArgumentException("sha256 must be 64 hexadecimal digits");
      }
    }
  }

  Correction(
      Base base, FamilyIndex families, TargetCorrection utilization, TargetCorrection memory) {
    this.base = base;
    this.families = families;
    this.utilization = utilization;
    this.memory = memory;
  }

  /** Which model it corrects; it says nothing about another. */
  public Base base() {
    return base;
  }

  FamilyIndex families() {
    return families;
  }

  TargetCorrection of(CorrectedTarget target) {
    return switch (target) {
      case UTILIZATION -> utilization;
      case PEAK_MEMORY -> memory;
    };
  }

  /** Whether it learned from runs on a device. */
  public boolean hasRunsOn(DeviceId device) {
    return Stream.of(utilization, memory)
        .flatMap(target -> target.scales().keySet().stream())
        .anyMatch(platform -> Groups.isOn(device, platform));
  }

  /** How many runs measured a target. */
  public int runs(CorrectedTarget target) {
    return of(target).runs();
  }

  /** Whether estimates of a target are changed; bounds may be where they are not. */
  public boolean shifts(CorrectedTarget target) {
    TargetCorrection found = of(target);
    return !found.contexts().isEmpty() || !found.offsets().isEmpty() || usesTrees(target);
  }

  /** Whether trees add to the offsets of a target. */
  public boolean usesTrees(CorrectedTarget target) {
    return of(target).trees().size() > 0;
  }

  /**
   * Cross-validated RMSLE before and after, by target, such as {@code utilization_rmsle_before};
   * both on the training runs, left out in turn.
   */
  public Map<String, Double> figures() {
    Map<String, Double> figures = new TreeMap<>();
    for (CorrectedTarget target : CorrectedTarget.values()) {
      TargetCorrection found = of(target);
      if (found.runs() > 0) {
        figures.put(target.key() + "_rmsle_before", Math.sqrt(found.leftOutBefore()));
        figures.put(target.key() + "_rmsle_after", Math.sqrt(found.leftOutAfter()));
        figures.put(target.key() + "_runs", (double) found.runs());
      }
    }
    return figures;
  }

  /** The offsets, for people: percent by group and target, {@code a100-40gb/training/fp32}. */
  public Map<String, Double> offsetPercents(CorrectedTarget target) {
    Map<String, Double> percents = new TreeMap<>();
    Offsets offsets = of(target).offsets();
    offsets.platforms().forEach((name, log) -> percents.put(name, percent(log)));
    offsets.families().forEach((name, log) -> percents.put(name, percent(log)));
    offsets.familiesOnPlatforms().forEach((name, log) -> percents.put(name, percent(log)));
    return percents;
  }

  /**
   * What a process takes on the cluster's hosts beyond what the base expects, for people: MiB by
   * platform, negative where hosts take less; empty where nothing is known of them.
   */
  public Map<String, Double> extraContextMebibytes() {
    Map<String, Double> extra = new TreeMap<>();
    of(CorrectedTarget.PEAK_MEMORY)
        .contexts()
        .forEach((name, context) -> extra.put(name, context.extraBytes() / (1 << 20)));
    return extra;
  }

  private static double percent(double log) {
    return Math.expm1(log) * 100;
  }
}
