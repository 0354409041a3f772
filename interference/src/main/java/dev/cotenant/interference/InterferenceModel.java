package dev.cotenant.interference;

/**
 * What workloads do to each other on one GPU.
 *
 * <p>Implementations are pure: the same colocation gives the same answer. Outside its range a model
 * answers {@link Answer.Unavailable}, never a number without meaning.
 */
public interface InterferenceModel {
  /** The model's name, as answers carry it. */
  String name();

  /** Latency, throughput and slowdown of each, and what goes where. */
  Answer answer(Colocation colocation);

  /**
   * How it answers about two and more workloads on a whole GPU of which nothing but utilization is
   * known. A caller with thousands of GPUs looks the sum up where it decides.
   */
  default UtilizationAlone onUtilizationAlone() {
    return new UtilizationAlone.Opaque();
  }

  /**
   * How it answers about two and more workloads on a whole GPU of which utilization is known and of
   * one at least the graph.
   */
  default GraphsKnown onGraphsKnown() {
    return new GraphsKnown.Opaque();
  }

  /** How a model answers where graphs are known. */
  sealed interface GraphsKnown {
    /** It answers {@link Answer.Unavailable}. */
    record Unavailable() implements GraphsKnown {}

    /**
     * By the pairs for two workloads with known graphs on a device that the pairs know, else by
     * this curve over the sum, the same for all, rounding aside.
     */
    record PairwiseWithFallback(GraphPairs pairs, SummedUtilizationCurve curve)
        implements GraphsKnown {}

    /** In a way that the model does not disclose. */
    record Opaque() implements GraphsKnown {}
  }

  /** How a model answers where nothing but utilization is known. */
  sealed interface UtilizationAlone {
    /** It answers {@link Answer.Unavailable}. */
    record Unavailable() implements UtilizationAlone {}

    /** By a curve over the sum of utilizations, the same for all, rounding aside. */
    record SummedUtilization(SummedUtilizationCurve curve) implements UtilizationAlone {}

    /** In a way that the model does not disclose. */
    record Opaque() implements UtilizationAlone {}
  }
}
