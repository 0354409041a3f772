package dev.cotenant.interference;

/**
 * What workloads do to each other on one GPU.
 *
 * <p>Implementations are pure: the same colocation gives the same answer. What lies outside a model
 * is {@link Answer.CannotSay}, never a number that means nothing.
 */
public interface InterferenceModel {
  /** The model's name, as answers carry it. */
  String name();

  /** Latency, throughput and slowdown of each, and what goes where. */
  Answer answer(Colocation colocation);

  /**
   * How it answers about two and more workloads on a whole GPU of which nothing but utilization is
   * known. Whoever asks about thousands of GPUs need not ask about each where the sum says it all.
   */
  default UtilizationAlone onUtilizationAlone() {
    return new UtilizationAlone.Otherwise();
  }

  /**
   * How it answers about two and more workloads on a whole GPU of which utilization is known and of
   * one at least the graph.
   */
  default GraphsKnown onGraphsKnown() {
    return new GraphsKnown.Otherwise();
  }

  /** How a model answers where graphs are known. */
  sealed interface GraphsKnown {
    /** It says that it cannot. */
    record CannotSay() implements GraphsKnown {}

    /**
     * About two whose graphs are both known by the pairs, where these know the device; about all
     * others by this curve over the sum, the same for all, rounding aside.
     */
    record PairsElseTheSum(GraphPairs pairs, SummedUtilizationCurve curve) implements GraphsKnown {}

    /** In some other way. */
    record Otherwise() implements GraphsKnown {}
  }

  /** How a model answers where nothing but utilization is known. */
  sealed interface UtilizationAlone {
    /** It says that it cannot. */
    record CannotSay() implements UtilizationAlone {}

    /** By this curve over the sum, the same for all, rounding aside. */
    record ByTheSum(SummedUtilizationCurve curve) implements UtilizationAlone {}

    /** In some other way. */
    record Otherwise() implements UtilizationAlone {}
  }
}
