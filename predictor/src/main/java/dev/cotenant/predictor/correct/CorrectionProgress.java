package dev.cotenant.predictor.correct;

/** Hears how far a training has come; called from the thread that runs it. */
@FunctionalInterface
public interface CorrectionProgress {
  /** Hears nothing. */
  CorrectionProgress SILENT = (step, done, total) -> {};

  /**
   * One more part is done.
   *
   * @param step what it was, in a few words
   * @param done parts done, 1 to {@code total}
   * @param total parts of all
   * @throws java.util.concurrent.CancellationException to end the training
   */
  void advanced(String step, int done, int total);
}
