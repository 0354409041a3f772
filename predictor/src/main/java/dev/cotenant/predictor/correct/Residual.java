package dev.cotenant.predictor.correct;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.correct.CorrectedTarget.LogBounds;

/**
 * By how much a base was off in one measured run, in log space.
 *
 * @param row the run
 * @param base what the base said
 * @param error measured minus estimated; 0.1 is about 10 % too low an estimate
 */
record Residual(ProfileRow row, LogBounds base, double error) {
  /** Device and settings: what a bias of the platform belongs to. */
  String platform() {
    return Groups.platform(row.device(), row.settings());
  }

  String family() {
    return row.family();
  }

  String familyOnPlatform() {
    return Groups.join(row.family(), platform());
  }

  /** One architecture on one platform, whatever its batch. */
  String run() {
    return Groups.join(String.valueOf(Structure.of(row.features())), platform());
  }

  /** One model at one batch on one platform: what a cluster repeats. */
  String modelAtBatch() {
    return Groups.join(run(), String.valueOf(row.features().batchSize()));
  }

  /** The same run, the base given the process baseline of its hosts. */
  Residual on(ProcessBaseline context) {
    LogBounds moved = context.on(base);
    return new Residual(row, moved, error - (moved.mean() - base.mean()));
  }

  /** The same run with an error that something explains part of. */
  Residual less(double explained) {
    return new Residual(row, base, error - explained);
  }
}
