package dev.cotenant.simulator.lab;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.simulator.lab.Cell.Bar;
import dev.cotenant.simulator.lab.Sheet.Published;
import dev.cotenant.simulator.pairs.PairWorld;
import dev.cotenant.simulator.policy.Policies;
import dev.cotenant.simulator.world.Arrival;
import dev.cotenant.simulator.world.GpuKind;
import dev.cotenant.simulator.world.Phase;
import dev.cotenant.simulator.world.Submission;
import dev.cotenant.simulator.world.Totals;
import dev.cotenant.simulator.world.Truth;
import dev.cotenant.simulator.world.World;
import dev.cotenant.simulator.world.WorldSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * Measured pairs of training jobs with durations: as many GPUs as are needed, jobs come and go, at
 * most two share and only if the pair was measured.
 *
 * <p>Poisson arrivals, 50 an hour; work log-normal with median 30 min and mean 3 h, cut at 48 h;
 * configurations uniform; 5,000 jobs a seed. These are assumptions. A job that moves loses its
 * work.
 */
public final class LucidDurations implements Preset {
  private static final int JOBS = 5_000;
  private static final int GPUS = 1_000;
  private static final double SECONDS_BETWEEN = 72;
  private static final double MEDIAN_SECONDS = 1_800;
  private static final double MOST_SECONDS = 48 * 3_600;

  /** √(2 ln 6): the mean is six times the median. */
  private static final double DEVIATION = Math.sqrt(2 * StrictMath.log(6));

  private static final double GPU_HOURS_BAR = 1.03;
  private static final String EXCLUSIVE = "exclusive";

  /** GPU hours in percent of exclusive, harmed hours of pods in percent, mean run over work. */
  private record Study(double gpuHours, double harmed, double run) {}

  private static final Map<String, Study> STUDY = new LinkedHashMap<>();

  static {
    STUDY.put(EXCLUSIVE, new Study(100, 0, 1.00));
    STUDY.put("gpushare", new Study(60.3, 38.0, 1.09));
    STUDY.put("utilization", new Study(63.8, 15.8, 1.04));
    STUDY.put("profile-each", new Study(66.0, 15.4, 1.06));
    STUDY.put("oracle", new Study(58.9, 0, 1.04));
  }

  private static final List<String> POLICIES =
      List.of(
          EXCLUSIVE, "gpushare", "utilization", "profile-each", "profile-once", "decide", "oracle");

  private final PairWorld pairs;
  private final SharingDecider decider;
  private final int jobs;

  public LucidDurations(PairWorld pairs, SharingDecider decider) {
    this(pairs, decider, JOBS);
  }

  /** With fewer jobs. */
  LucidDurations(PairWorld pairs, SharingDecider decider, int jobs) {
    this.pairs = pairs;
    this.decider = decider;
    this.jobs = jobs;
  }

  static final Card CARD =
      new Card(
          "lucid-durations",
          "GPU hours and harmed pods of sharing policies on Lucid's measured pairs, with durations",
          "a study of this project in another language on the same pairs",
          3);

  @Override
  public Card card() {
    return CARD;
  }

  @Override
  public List<Cell> run(int seeds, Consumer<String> progress) {
    Sheet<Totals> sheet = new Sheet<>("durations");
    for (String policy : POLICIES) {
      progress.accept(policy);
      for (int seed = 0; seed < seeds; seed++) {
        sheet.add(policy, run(policy, seed));
      }
    }
    sheet.ratio("gpu_hours_of_exclusive", EXCLUSIVE, Totals::gpuHours, LucidDurations::gpuHours);
    sheet.figure(
        "harmed_pod_hours_percent",
        Totals::harmedPercent,
        policy ->
            published(
                policy,
                Study::harmed,
                "every pod on a GPU on which one is slowed by more than 1.15 counts, as in"
                    + " simulate"));
    sheet.figure(
        "run_over_work",
        Totals::runOverWork,
        policy -> published(policy, Study::run, "lost minutes of profiling are part of the run"));
    sheet.figure("moves_per_100_jobs", t -> 100.0 * t.moves() / t.finished(), policy -> none());
    return sheet.cells();
  }

  private static Published none() {
    return Published.none("not in the study");
  }

  private static Published gpuHours(String policy) {
    Study study = STUDY.get(policy);
    if (study == null) {
      return none();
    }
    double value = study.gpuHours() / 100;
    return new Published(
        value,
        Bar.atMost(policy.equals(EXCLUSIVE) ? 1 : GPU_HOURS_BAR * value),
        "other draws of jobs; the study does not state which GPU of several a job joins");
  }

  private static Published published(
      String policy, ToDoubleFunction<Study> figure, String reading) {
    Study study = STUDY.get(policy);
    return study == null ? none() : new Published(figure.applyAsDouble(study), null, reading);
  }

  private Totals run(String policy, long seed) {
    DeviceId device = pairs.device().id();
    GpuKind kind = new GpuKind(pairs.device(), pairs.device().memory(), new GpuKind.Power(0, 0));
    WorldSettings settings =
        WorldSettings.of(List.of(new WorldSettings.Machine("node", kind, GPUS)), pairs)
            .withMayShare(pairs::wereMeasured);
    Policies.Setting setting =
        new Policies.Setting(settings, decider, SharingLimits.DEFAULT, device, 2);
    Totals totals = World.run(settings, arrivals(seed).iterator(), Policies.make(policy, setting));
    if (totals.mostWaiting() > GPUS || totals.finished() != jobs) {
      throw new IllegalStateException(policy + " left jobs waiting on " + GPUS + " GPUs");
    }
    return totals;
  }

  private List<Arrival> arrivals(long seed) {
    Draws draws = new Draws(seed);
    List<Arrival> arrivals = new ArrayList<>();
    double at = 0;
    for (int i = 0; i < jobs; i++) {
      at += draws.exponential(SECONDS_BETWEEN);
      PairWorld.Configuration drawn =
          pairs.configurations().get(draws.index(pairs.configurations().size()));
      double work = Math.min(MOST_SECONDS, draws.logNormal(MEDIAN_SECONDS, DEVIATION));
      arrivals.add(arrival("job-" + i, drawn, at, Draws.seconds(Math.max(1, work))));
    }
    return arrivals;
  }

  private Arrival arrival(String name, PairWorld.Configuration drawn, double at, Duration work) {
    MemorySize memory = drawn.memory();
    Map<DeviceId, Prediction> predictions =
        Map.of(
            pairs.device().id(),
            Predictions.exact(pairs.device(), drawn.utilizationPercent(), memory));
    return new Arrival(
        Draws.seconds(at),
        new Submission(name, drawn.name(), memory, 0, predictions),
        Truth.of(Phase.of(work, drawn.load(), memory)));
  }
}
