package dev.cotenant.lab.gpulets;

import dev.cotenant.placement.glet.DutyCycles;
import dev.cotenant.placement.glet.ElasticPartitioning;
import dev.cotenant.placement.glet.ExhaustiveSearch;
import dev.cotenant.placement.glet.GpuPool;
import dev.cotenant.placement.glet.GpuletScheduler;
import dev.cotenant.placement.glet.Interference;
import dev.cotenant.placement.glet.PoolPlan;
import dev.cotenant.placement.glet.Schedule;
import dev.cotenant.placement.glet.Tenant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The strategies that the gpu-lets paper compares, on the same GPUs. */
final class SchedulabilityStudy {
  static final String PACKING = "sbp";
  static final String TUNING = "self-tuning";
  static final String WITHOUT = "gpulets-nointerference";
  static final String ELASTIC = "gpulets";
  static final String IDEAL = "ideal";

  /** The outcome of a scenario. */
  enum Result {
    NOT_SCHEDULABLE,
    /** The strategy has a place for everything, but neighbours break an objective or a rate. */
    SCHEDULABLE_IN_ITS_VIEW,
    SCHEDULABLE
  }

  /** Which model judges a plan. */
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

    boolean accepts(Result result) {
      return switch (result) {
        case SCHEDULABLE -> true;
        case SCHEDULABLE_IN_ITS_VIEW -> this == IN_ITS_VIEW;
        case NOT_SCHEDULABLE -> false;
      };
    }
  }

  private final GpuPool pool;
  private final Schedule judge;
  private final ExhaustiveSearch ideal;
  private final Map<String, GpuletScheduler> strategies = new LinkedHashMap<>();

  SchedulabilityStudy(GpuPool pool, Interference linear) {
    this.pool = pool;
    judge = new Schedule(linear);
    ideal = new ExhaustiveSearch(linear);
    strategies.put(PACKING, new DutyCycles());
    strategies.put(TUNING, ElasticPartitioning.selfTuning());
    strategies.put(WITHOUT, ElasticPartitioning.gpulets(Interference.NONE));
    strategies.put(ELASTIC, ElasticPartitioning.gpulets(linear));
    strategies.put(IDEAL, this::ideal);
  }

  /** All or nothing. */
  private PoolPlan ideal(GpuPool gpus, List<Tenant> tenants) {
    return ideal
        .fitting(gpus, tenants)
        .map(layouts -> new PoolPlan(layouts, List.of()))
        .orElseGet(() -> new PoolPlan(List.of(), tenants));
  }

  /** Names in print order. */
  Set<String> names() {
    return strategies.keySet();
  }

  /** The plan of a strategy. */
  PoolPlan plan(String name, List<Tenant> tenants) {
    GpuletScheduler strategy = strategies.get(name);
    if (strategy == null) {
      throw new IllegalArgumentException("no strategy " + name);
    }
    return strategy.plan(pool, tenants);
  }

  /** What a strategy makes of these services. */
  Result of(String name, List<Tenant> tenants) {
    PoolPlan poolPlan = plan(name, tenants);
    if (!poolPlan.left().isEmpty()) {
      return Result.NOT_SCHEDULABLE;
    }
    return poolPlan.layouts().stream().allMatch(layout -> judge.of(layout).isPresent())
        ? Result.SCHEDULABLE
        : Result.SCHEDULABLE_IN_ITS_VIEW;
  }
}
