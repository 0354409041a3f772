package dev.cotenant.placement.glet;

import dev.cotenant.placement.glet.ElasticPartitioning.Rules;
import dev.cotenant.placement.glet.ElasticPartitioning.Sharing;
import dev.cotenant.placement.glet.ElasticPartitioning.Sizing;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The strategies that the gpu-lets paper compares, on the same GPUs. */
final class Contest {
  static final String PACKING = "sbp";
  static final String TUNING = "self-tuning";
  static final String WITHOUT = "gpulets-nointerference";
  static final String ELASTIC = "gpulets";
  static final String IDEAL = "ideal";

  /** What comes of a scenario. */
  enum Verdict {
    NOT_SCHEDULABLE,
    /** The strategy has a place for everything, but neighbours break an objective or a rate. */
    SCHEDULABLE_IN_ITS_VIEW,
    SCHEDULABLE
  }

  /** Whose word counts. */
  enum Judgement {
    /** The strategy's, as the paper counts scenarios. */
    IN_ITS_VIEW(""),
    /** The interference model's too, of batches as large as requests make them. */
    WITH_INTERFERENCE("_with_interference");

    private final String suffix;

    Judgement(String suffix) {
      this.suffix = suffix;
    }

    /** What a metric's name ends in. */
    String suffix() {
      return suffix;
    }

    boolean accepts(Verdict verdict) {
      return switch (verdict) {
        case SCHEDULABLE -> true;
        case SCHEDULABLE_IN_ITS_VIEW -> this == IN_ITS_VIEW;
        case NOT_SCHEDULABLE -> false;
      };
    }
  }

  private final Stock stock;
  private final Schedule judge;
  private final ExhaustiveSearch ideal;
  private final Map<String, Strategy> strategies = new LinkedHashMap<>();

  Contest(Stock stock, Interference linear) {
    this.stock = stock;
    judge = new Schedule(linear);
    ideal = new ExhaustiveSearch(linear);
    strategies.put(PACKING, new DutyCycles());
    strategies.put(TUNING, elastic(Sizing.LEAST_SUFFICIENT, Sharing.IN_SPACE, Interference.NONE));
    strategies.put(WITHOUT, elastic(Sizing.KNEE, Sharing.IN_SPACE_AND_TIME, Interference.NONE));
    strategies.put(ELASTIC, elastic(Sizing.KNEE, Sharing.IN_SPACE_AND_TIME, linear));
    strategies.put(IDEAL, this::ideal);
  }

  private static Strategy elastic(Sizing sizing, Sharing sharing, Interference interference) {
    return new ElasticPartitioning(new Rules(sizing, sharing, interference));
  }

  /** All or nothing. */
  private Layout ideal(Stock gpus, List<Tenant> tenants) {
    return ideal
        .fitting(gpus, tenants)
        .map(cards -> new Layout(cards, List.of()))
        .orElseGet(() -> new Layout(List.of(), tenants));
  }

  /** In the order in which they are printed. */
  Set<String> names() {
    return strategies.keySet();
  }

  /** What a strategy makes of these services. */
  Verdict of(String name, List<Tenant> tenants) {
    Strategy strategy = strategies.get(name);
    if (strategy == null) {
      throw new IllegalArgumentException("no strategy " + name);
    }
    Layout layout = strategy.plan(stock, tenants);
    if (!layout.left().isEmpty()) {
      return Verdict.NOT_SCHEDULABLE;
    }
    return layout.cards().stream().allMatch(card -> judge.of(card).isPresent())
        ? Verdict.SCHEDULABLE
        : Verdict.SCHEDULABLE_IN_ITS_VIEW;
  }
}
