package dev.cotenant.interference;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A model's answer about a colocation. */
public sealed interface Answer {
  /**
   * An estimate.
   *
   * @param model which model answered
   * @param effects one a member, in their order
   */
  record Estimated(String model, List<Effect> effects) implements Answer {
    public Estimated {
      effects = List.copyOf(effects);
    }
  }

  /**
   * The model has no answer.
   *
   * @param model which one
   * @param reason missing or out-of-range input, one line
   */
  record Unavailable(String model, String reason) implements Answer {}

  /**
   * What one workload gets.
   *
   * @param slowdown colocated over solo time, at least 1
   * @param latencyMillis time of a batch, transfers included; null for training jobs, whose speed
   *     is 1 / slowdown
   */
  record Effect(Interval slowdown, @Nullable Interval latencyMillis) {}
}
