package dev.cotenant.predictor.model;

import dev.cotenant.domain.quantity.Coverage;
import org.jspecify.annotations.Nullable;

/**
 * In what share of cases each bound holds, by how new the question is.
 *
 * @param familiar within the ranges of a seen device: what bounds were calibrated for
 * @param unseenModel measured on model families that neither trees nor bounds had seen; null where
 *     there was but one family
 * @param unseenDevice the same on devices
 */
public record BoundCoverage(
    Coverage familiar, @Nullable Coverage unseenModel, @Nullable Coverage unseenDevice) {

  /** Of bounds that answer such a question; null where it was not measured. */
  public @Nullable Coverage of(Novelty novelty) {
    @Nullable Coverage coverage = familiar;
    if (novelty.unseenModel()) {
      coverage = lesser(coverage, unseenModel);
    }
    return novelty.unseenDevice() ? lesser(coverage, unseenDevice) : coverage;
  }

  /** Of bounds for settings that no measured run had: those of an unseen model. */
  public @Nullable Coverage ofOtherSettings(Novelty novelty) {
    return lesser(of(novelty), unseenModel);
  }

  private static @Nullable Coverage lesser(@Nullable Coverage first, @Nullable Coverage second) {
    return first == null || second == null ? null : first.min(second);
  }
}
