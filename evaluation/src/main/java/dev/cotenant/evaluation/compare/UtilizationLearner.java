package dev.cotenant.evaluation.compare;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Utilization;
import java.util.List;
import java.util.function.Function;

/** Learns utilization from whole rows, for learners that look at more than a vector. */
public interface UtilizationLearner {
  /** The name in evaluation tables, such as {@code hybrid}. */
  String name();

  /**
   * Learns from rows that all measure utilization; the same rows and seed give the same answers.
   *
   * @param rows at least one
   * @return the expected utilization of a row, whose measurement it does not look at
   */
  Function<ProfileRow, Utilization> fit(List<ProfileRow> rows, long seed);
}
