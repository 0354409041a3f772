package dev.cotenant.engine.plan;

import dev.cotenant.domain.InputException;
import dev.cotenant.placement.fleet.JobPacker;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.glet.GpuletPlanner;
import dev.cotenant.placement.igniter.IgniterPlanner;
import dev.cotenant.placement.inss.InssPlanner;
import dev.cotenant.placement.inss.MostThroughput;
import dev.cotenant.placement.jobs.PublishedPacker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** All strategies by name. */
public final class Strategies {
  /** Stands for all of them. */
  public static final String ALL = "all";

  private final Map<String, ServicePlanner> planners = new LinkedHashMap<>();
  private final Map<String, JobPacker> packers = new LinkedHashMap<>();
  private final ServicePlanner firstPlanner;
  private final JobPacker firstPacker;

  /**
   * @param planners of services, at least one; the first is the default
   * @param packers of jobs, at least one; the first is the default
   */
  Strategies(List<ServicePlanner> planners, List<JobPacker> packers) {
    firstPlanner = planners.getFirst();
    firstPacker = packers.getFirst();
    planners.forEach(planner -> this.planners.put(planner.name(), planner));
    packers.forEach(packer -> this.packers.put(packer.name(), packer));
  }

  /** Every strategy there is. */
  public static Strategies standard() {
    List<ServicePlanner> planners = new ArrayList<>();
    planners.add(new BestOfAll(published()));
    planners.addAll(published());
    planners.add(GpuletPlanner.IDEAL);
    planners.add(new MostThroughput());
    return new Strategies(
        planners,
        List.of(
            PublishedPacker.UTILPRED_FFD,
            PublishedPacker.SLOT,
            PublishedPacker.REACTIVE,
            PublishedPacker.GPUSHARE,
            PublishedPacker.RESAWARE));
  }

  /** The published strategies that plan any number of services. */
  public static List<ServicePlanner> published() {
    return List.of(
        IgniterPlanner.IGNITER,
        IgniterPlanner.FFD,
        IgniterPlanner.FFD_WITH_RAISING,
        IgniterPlanner.GSLICE,
        IgniterPlanner.GPULETS,
        GpuletPlanner.GPULETS,
        GpuletPlanner.GPULETS_WITHOUT_INTERFERENCE,
        GpuletPlanner.SQUISHY_BIN_PACKING,
        GpuletPlanner.SELF_TUNING,
        new InssPlanner());
  }

  /** Their names, the default first. */
  public List<String> names() {
    return Stream.concat(planners.keySet().stream(), packers.keySet().stream()).toList();
  }

  /**
   * The default strategy for services, by name.
   *
   * @param gpusAreGiven whether the number of GPUs is given, and their throughput is wanted
   */
  public String defaultName(boolean gpusAreGiven) {
    return gpusAreGiven ? MostThroughput.NAME : firstPlanner.name();
  }

  /**
   * A strategy for services and a strategy for jobs: the named one, and the default of the other
   * kind.
   *
   * @throws InputException ({@code unknown-strategy})
   */
  Pair require(String name) {
    ServicePlanner planner = planners.get(name);
    JobPacker packer = packers.get(name);
    if (planner == null && packer == null) {
      throw InputException.unknown(
          "strategy", name, Stream.concat(names().stream(), Stream.of(ALL)).toList());
    }
    return new Pair(
        name,
        Objects.requireNonNullElse(planner, firstPlanner),
        Objects.requireNonNullElse(packer, firstPacker));
  }

  /**
   * Requires a known strategy name.
   *
   * @throws InputException ({@code unknown-strategy})
   */
  public void check(String name) {
    if (!name.equals(ALL)) {
      require(name);
    }
  }

  /** Every pair that applies to a fleet of these kinds. */
  List<Pair> all(boolean services, boolean jobs) {
    return names().stream()
        .filter(name -> planners.containsKey(name) ? services : jobs)
        .map(this::require)
        .toList();
  }

  /** Who plans what. */
  record Pair(String name, ServicePlanner planner, JobPacker packer) {}
}
