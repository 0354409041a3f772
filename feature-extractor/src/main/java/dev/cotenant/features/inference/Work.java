package dev.cotenant.features.inference;

import dev.cotenant.domain.graph.WorkClass;
import java.util.EnumMap;
import java.util.Map;

/**
 * Multiply-accumulates of a node by class, as functions of the batch. Immutable.
 *
 * @param byClass an amount for each class that occurs; one that is unknown makes the whole unknown
 */
public record Work(Map<WorkClass, Amount> byClass) {
  public static final Work NONE = new Work(Map.of());

  public static Work of(WorkClass kind, Amount amount) {
    return new Work(Map.of(kind, amount));
  }

  /** The same and some more of a class. */
  public Work and(WorkClass kind, Amount amount) {
    Map<WorkClass, Amount> all = new EnumMap<>(WorkClass.class);
    all.putAll(byClass);
    all.merge(kind, amount, Amount::plus);
    return new Work(all);
  }

  /** Whether every amount is known. */
  public boolean isKnown() {
    return byClass.values().stream().allMatch(Amount::isKnown);
  }

  /** The same, products of two computed tensors being those of attention. */
  public Work asAttention() {
    Amount products = byClass.get(WorkClass.MATRIX_PRODUCT);
    return products == null ? this : of(WorkClass.ATTENTION, products);
  }
}
