package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.predictor.train.TrainingProgress;

/** The steps of a long job, on the progress display. */
final class Steps {
  private Steps() {}

  static TrainingProgress shownOn(Progress progress) {
    return (step, done, total) -> progress.step(step + " " + done + " of " + total);
  }
}
