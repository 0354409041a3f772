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
}
