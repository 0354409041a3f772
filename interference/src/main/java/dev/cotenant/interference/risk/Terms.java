package dev.cotenant.interference.risk;

import java.util.LinkedHashMap;
import java.util.Map;

/** A colocation as a sum of effects: which of them, and how much of each. */
final class Terms {
  private static final double CONSTANT = 3;
  private final Map<Level, Double> values = new LinkedHashMap<>();

  /** One effect. */
  record Level(Effect effect, String device, String own, String other) {}

  private Terms() {}

  static Map<Level, Double> of(VictimColocation colocation, UsageScale scale) {
    Terms terms = new Terms();
    double[] products = UsageScale.products(colocation);
    for (int i = 0; i < products.length; i++) {
      Level level = new Level(Effect.USAGE, "", String.valueOf(i), "");
      terms.values.put(level, scale.standardised(i, products[i]));
    }
    terms.addEffects(colocation);
    return terms.values;
  }

  static Level victim(String device, SharedJob job) {
    return new Level(Effect.VICTIM, device, job.configuration(), "");
  }

  static Level aggressor(String device, SharedJob job) {
    return new Level(Effect.AGGRESSOR, device, job.configuration(), "");
  }

  static Level baseline(String device, SharedJob job) {
    return new Level(Effect.BASELINE, device, job.configuration(), "");
  }

  private void addEffects(VictimColocation colocation) {
    String device = colocation.device();
    SharedJob own = colocation.victim();
    add(new Level(Effect.DEVICE, device, "", ""), CONSTANT);
    add(victim(device, own), 1);
    add(new Level(Effect.VICTIM_MODEL, device, own.model(), ""), 1);
    for (SharedJob other : colocation.aggressors()) {
      addAggressor(device, own, other);
    }
  }

  private void addAggressor(String device, SharedJob own, SharedJob other) {
    String victim = own.configuration();
    String aggressor = other.configuration();
    boolean isOrdered = victim.compareTo(aggressor) <= 0;
    add(aggressor(device, other), 1);
    add(new Level(Effect.AGGRESSOR_MODEL, device, other.model(), ""), 1);
    add(new Level(Effect.MODELS, device, own.model(), other.model()), 1);
    add(new Level(Effect.VICTIM_BESIDE_MODEL, device, victim, other.model()), 1);
    add(new Level(Effect.MODEL_BESIDE_AGGRESSOR, device, own.model(), aggressor), 1);
    add(
        new Level(
            Effect.PAIR, device, isOrdered ? victim : aggressor, isOrdered ? aggressor : victim),
        1);
    add(new Level(Effect.VICTIM_SLOPE, device, victim, ""), other.utilization());
    add(new Level(Effect.AGGRESSOR_SLOPE, device, aggressor, ""), own.utilization());
    add(new Level(Effect.CELL, device, victim, aggressor), 1);
  }

  private void add(Level level, double value) {
    values.merge(level, value, Double::sum);
  }
}
