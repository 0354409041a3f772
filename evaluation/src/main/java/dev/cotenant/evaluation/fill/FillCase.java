package dev.cotenant.evaluation.fill;

/**
 * A run whose family was not learned from, and the bound that would have been filled in, in bytes.
 *
 * @param measured peak
 * @param estimate the mean prediction
 * @param bound upper bound at the level of the curve; NaN where none holds so often
 * @param card memory of the GPU
 */
public record FillCase(double measured, double estimate, double bound, double card) {
  /** A bound beyond the card is not filled in: the run keeps its card. */
  boolean isFilled() {
    return bound <= card;
  }
}
