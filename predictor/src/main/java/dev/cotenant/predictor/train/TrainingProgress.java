package dev.cotenant.predictor.train;

/** Hears how far a long job has come; called from the thread that runs it. */
@FunctionalInterface
public interface TrainingProgress {
  /** Hears nothing. */
  TrainingProgress SILENT = (step, done, total) -> {};

  /**
   * A further part of the job is done.
   *
   * @param step the completed part, in a few words
   * @param done parts done, 1 to {@code total}
   * @param total parts of the job
   * @throws java.util.concurrent.CancellationException to end the job
   */
  void advanced(String step, int done, int total);
}
