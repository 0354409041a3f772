package dev.cotenant.lab.training;

import static dev.cotenant.lab.figure.Sheet.difference;
import static dev.cotenant.lab.figure.Sheet.percent;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.interference.SummedUtilizationCurve;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Cell.Bar;
import dev.cotenant.lab.figure.Sheet;
import dev.cotenant.lab.figure.Sheet.Published;
import dev.cotenant.lab.figure.Sheet.Versus;
import dev.cotenant.lab.figure.Watch;
import dev.cotenant.lab.figure.WatchedPreset;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.simulator.policy.Policies;
import dev.cotenant.simulator.world.Arrival;
import dev.cotenant.simulator.world.GpuKind;
import dev.cotenant.simulator.world.Observer;
import dev.cotenant.simulator.world.SpeedModel;
import dev.cotenant.simulator.world.Totals;
import dev.cotenant.simulator.world.World;
import dev.cotenant.simulator.world.WorldSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Figures 5 to 8 of ResAware: inference engines on one V100 with 32 GB, requests over-provisioned
 * by 0 to 250 %.
 *
 * <p>Mechanism only: the engines' times, utilizations and mostly memory were not published, see
 * {@link Engines}. Slowdown follows the summed utilization. Power is the line through the paper's
 * two points, 41.5 W at 7.22 % and 53.1 W at 49 % (section 4).
 */
public final class ResAwareFigures implements WatchedPreset {
  public static final Card CARD =
      new Card(
          "resaware-figures",
          "Pending time, p99, memory, utilization, power and energy of inference engines on one GPU"
              + " by scheduler and over-provisioning",
          "ResAware (PARMA-DITAM 2021), Figures 5 to 8",
          20);

  private static final double[] OVER_PROVISIONED = {0, 0.5, 1, 1.5, 2, 2.5};
  private static final String RESAWARE = "resaware";
  private static final String CORRELATION = "resaware-correlation";
  private static final String DECIDE = "decide, measured before";
  private static final String OVER_TIME = "memory-over-time, measured before";
  private static final List<String> POLICIES =
      List.of("exclusive", "gpushare", RESAWARE, CORRELATION, DECIDE, OVER_TIME);

  /** The over-provisioning of reports: gpushare still fits two engines. */
  private static final double SHOWN = 1;

  /**
   * The line through the paper's points of power, up to the V100's limit; beyond it the clock slows
   * by iGniter's 1.025 MHz a watt.
   */
  private static final GpuKind.Power POWER =
      new GpuKind.Power(39.5, 67.3, new GpuKind.Cap(250, 1.025 / 1530));

  private static final WorldSettings.History HISTORY =
      new WorldSettings.History(Duration.ofSeconds(1), 60);
  private static final int TENANTS = 100;

  /** The product's defaults, but for the number of tenants, which the paper does not limit. */
  private static final SharingLimits LIMITS = SharingLimits.DEFAULT.withTenants(TENANTS);

  /**
   * Saved energy relative to gpushare; the abstract's other ratios are for the heterogeneous
   * workload.
   */
  private static final double ENERGY_SAVED = 0.444;

  private static final SummedUtilizationCurve CURVE = new SummedUtilizationCurve();
  private static final String DRAWN = "drawn in the paper without numbers";
  private static final String READING =
      "mechanism only, bars are directions: times, utilizations and most memory of the engines were"
          + " not published, assumptions stand in; here utilization is at most the sum of that of"
          + " the engines, in the paper it grows by more than their number (section 4: ×6.8 with"
          + " six engines 2.67 times as fast)";
  private static final String OURS = "not in the paper; the same engines";

  /** Our policies, with the reason of their margin over the paper's. */
  private static final Map<String, String> OWN =
      Map.of(
          DECIDE,
          "requests are not looked at, so that nothing depends on over-provisioning: the peak"
              + " memory of each kind of engine is known from an earlier run. Engines of a minute"
              + " or two are younger than the product's window of five, so that they count with"
              + " their peaks beside what is seen: two or three share a GPU, resaware starts more"
              + " than fit while others load, and pays with restarts",
          OVER_TIME,
          "the same peaks; an engine loads while another is about to end, as earlier runs of their"
              + " kinds say. Time on the GPU before a restart is no pending time, so that resaware,"
              + " which restarts more, waits less and ends later");

  private final SharingDecider decider;
  private final Device device;
  private final List<Engines> workloads;

  public ResAwareFigures(SharingDecider decider, DeviceCatalogue devices) {
    this.decider = decider;
    this.device = devices.require("v100-32gb");
    workloads = List.of(Engines.homogeneous(), Engines.heterogeneous());
  }

  /** Runs of one policy and seed, one for each over-provisioning. */
  private record Runs(List<Run> all) {
    double mean(ToDoubleFunction<Run> figure) {
      return all.stream().mapToDouble(figure).average().orElseThrow();
    }

    double waitSeconds() {
      return mean(run -> run.totals().meanWaitSeconds());
    }

    double meanSeconds() {
      return mean(Run::meanSeconds);
    }

    double p99Seconds() {
      return mean(Run::p99Seconds);
    }

    double joules() {
      return mean(run -> run.totals().energyJoules());
    }

    double restarts() {
      return mean(run -> run.totals().outOfMemoryKills());
    }
  }

  /** Sums, and the mean and the 99th percentile of time from arrival to end. */
  private record Run(Totals totals, double meanSeconds, double p99Seconds) {
    static Run of(Totals totals, List<Double> seconds) {
      List<Double> sorted = seconds.stream().sorted().toList();
      double mean = sorted.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
      return new Run(totals, mean, sorted.get((int) Math.ceil(0.99 * sorted.size()) - 1));
    }
  }

  /** What the paper divides by ResAware's, for exclusive and gpushare. */
  private record Ratio(String metric, ToDoubleFunction<Run> figure, Map<String, Double> paper) {}

  @Override
  public List<Cell> run(int seeds, Watch watch) {
    List<Cell> cells = new ArrayList<>();
    int all = workloads.size() * POLICIES.size() * seeds;
    int index = 0;
    for (Engines engines : workloads) {
      Sheet<Runs> sheet = new Sheet<>(engines.name());
      for (String policy : POLICIES) {
        for (int seed = 0; seed < seeds; seed++) {
          Watch.Run run =
              new Watch.Run(
                  engines.name(),
                  policy + " at " + Math.round(100 * SHOWN) + " %",
                  index++,
                  all,
                  engines.count());
          sheet.add(policy, runs(engines, policy, seed, new Watched(watch, run)));
        }
      }
      addFigures(sheet, engines);
      addMargins(sheet);
      cells.addAll(sheet.cells());
    }
    return cells;
  }

  /** A policy and seed that reports follow at one over-provisioning. */
  private record Watched(Watch watch, Watch.Run run) {}

  private static void addMargins(Sheet<Runs> sheet) {
    for (String own : List.of(DECIDE, OVER_TIME)) {
      Versus versus = new Versus(own, RESAWARE);
      Published reading = Published.none(OWN.getOrDefault(own, ""));
      sheet.margin("pending_percent", versus, percent(Runs::waitSeconds), reading);
      sheet.margin("completion_percent", versus, percent(Runs::meanSeconds), reading);
      sheet.margin("p99_percent", versus, percent(Runs::p99Seconds), reading);
      sheet.margin("energy_percent", versus, percent(Runs::joules), reading);
      sheet.margin(
          "restarts",
          versus,
          difference(Runs::restarts),
          new Published(null, Bar.atMost(0), reading.reading()));
    }
  }

  private static void addFigures(Sheet<Runs> sheet, Engines engines) {
    for (Ratio ratio : ratios(engines)) {
      sheet.ratio(
          ratio.metric() + "_over_resaware",
          RESAWARE,
          runs -> runs.mean(ratio.figure()),
          policy -> published(ratio.paper().get(policy)));
    }
    for (Ratio ratio : ratios(engines)) {
      addCurve(sheet, ratio);
    }
    sheet.figure(
        "restarts",
        Runs::restarts,
        _ ->
            Published.none(
                "the paper reports several without a number; here more: which thresholds and window"
                    + " its chain has is not printed, nor how long a failed engine waits (10 s"
                    + " here)"));
  }

  /** The bar is the published direction: more than resaware's, or less. */
  private static Published published(@Nullable Double ratio) {
    if (ratio == null) {
      return Published.none(OURS);
    }
    double value = ratio;
    return new Published(value, value > 1 ? Bar.atLeast(1) : Bar.atMost(1), READING);
  }

  /** The points of a figure, and how far it is from flat. */
  private static void addCurve(Sheet<Runs> sheet, Ratio ratio) {
    for (int i = 0; i < OVER_PROVISIONED.length; i++) {
      int index = i;
      sheet.figure(
          ratio.metric() + "_at_" + Math.round(100 * OVER_PROVISIONED[i]) + "_percent",
          runs -> ratio.figure().applyAsDouble(runs.all().get(index)),
          _ -> Published.none(DRAWN));
    }
    sheet.figure(
        ratio.metric() + "_at_250_over_0_percent",
        runs ->
            ratio.figure().applyAsDouble(runs.all().getLast())
                / ratio.figure().applyAsDouble(runs.all().getFirst()),
        _ ->
            Published.none(
                "in the paper flat for resaware; gpushare is like it up to 50 % and like exclusive"
                    + " from 150 % on"));
  }

  private static List<Ratio> ratios(Engines engines) {
    boolean same = engines.kinds().size() == 1;
    return List.of(
        ratio(
            "pending_seconds",
            r -> r.totals().meanWaitSeconds(),
            same ? 6.6 : 11,
            same ? 5.2 : 8.6),
        ratio("p99_seconds", Run::p99Seconds, same ? 3.6 : 3.2, same ? 2.8 : 2.4),
        ratio(
            "memory_gib",
            r -> r.totals().meanUsedMemoryBytes() / MemorySize.GIB,
            1 / (same ? 3.7 : 2.5),
            1 / (same ? 2.2 : 1.5)),
        ratio(
            "utilization_percent",
            r -> r.totals().meanUtilizationPercent(),
            1 / (same ? 16 : 6.1),
            1 / (same ? 2.9 : 2.1)),
        ratio(
            "power_watts",
            r -> r.totals().meanWatts(),
            1 / (same ? 1.3 : 1.2),
            1 / (same ? 1.2 : 1.1)),
        same
            ? ratio("energy_kilojoules", r -> r.totals().energyJoules() / 1e3, 2.6, 2.2)
            : new Ratio(
                "energy_kilojoules",
                r -> r.totals().energyJoules() / 1e3,
                Map.of("gpushare", 1 / (1 - ENERGY_SAVED))));
  }

  private static Ratio ratio(
      String metric, ToDoubleFunction<Run> figure, double ofExclusive, double ofGpuShare) {
    return new Ratio(metric, figure, Map.of("exclusive", ofExclusive, "gpushare", ofGpuShare));
  }

  private Runs runs(Engines engines, String policy, long seed, Watched watched) {
    List<Run> runs = new ArrayList<>();
    for (double over : OVER_PROVISIONED) {
      boolean isMeasured = OWN.containsKey(policy);
      List<Arrival> arrivals = engines.arrivals(over, isMeasured ? device : null, seed);
      String name = policy.split(",", 2)[0];
      List<Double> completions = new ArrayList<>();
      Consumer<Observer.Ended> jobs =
          job -> completions.add(job.ended().minus(job.arrived()).toNanos() / 1e9);
      Totals totals =
          over == SHOWN
              ? watched.watch().watch(watched.run(), each -> run(name, arrivals, each.and(jobs)))
              : run(name, arrivals, jobs::accept);
      runs.add(Run.of(totals, completions));
    }
    return new Runs(runs);
  }

  private Totals run(String policy, List<Arrival> arrivals, Observer observer) {
    GpuKind kind = new GpuKind(device, device.memory(), POWER);
    WorldSettings settings =
        WorldSettings.of(List.of(new WorldSettings.Machine("inference-server", kind, 1)), speeds())
            .withHistory(HISTORY);
    Policies.Setting setting =
        new Policies.Setting(settings, decider, LIMITS, device.id(), TENANTS);
    return World.run(settings, arrivals.iterator(), Policies.make(policy, setting), observer);
  }

  /** All engines are slowed alike by the sum of utilizations at that instant. */
  private static SpeedModel speeds() {
    return (own, others, _) -> {
      double sum = own.utilizationPercent();
      for (var other : others) {
        sum += other.utilizationPercent();
      }
      return others.isEmpty() ? 1 : 1 / CURVE.slowdown(SummedUtilization.ofPercent(sum)).ratio();
    };
  }
}
