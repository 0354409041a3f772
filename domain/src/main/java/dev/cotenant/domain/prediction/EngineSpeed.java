package dev.cotenant.domain.prediction;

import org.jspecify.annotations.Nullable;

/**
 * The steps of a server of a language model alone on a GPU, under a load. Bounds are assumed: no
 * step of a server was measured.
 *
 * @param load for which it is stated
 * @param prefill of a request's prompt
 * @param decode a step that adds one token to every sequence
 * @param sequences at once, in the mean
 * @param requestsPerSecond that the server answers with as many sequences as its cache holds
 * @param utilization share of time in which kernels run
 */
public record EngineSpeed(
    Load load,
    StepTimeEstimate prefill,
    StepTimeEstimate decode,
    double sequences,
    double requestsPerSecond,
    UtilizationEstimate utilization) {
  /**
   * Requests.
   *
   * @param promptTokens of a request
   * @param generatedTokens of its answer
   * @param perSecond null where no rate is stated: requests follow each other
   */
  public record Load(long promptTokens, long generatedTokens, @Nullable Double perSecond) {}

  /** Whether the stated rate is above what the server answers. */
  public boolean isOverloaded() {
    Double rate = load.perSecond();
    return rate != null && rate >= requestsPerSecond;
  }
}
