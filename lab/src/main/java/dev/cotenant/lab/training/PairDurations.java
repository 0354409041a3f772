package dev.cotenant.lab.training;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.lab.pairs.PairWorld;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.simulator.event.Draws;
import dev.cotenant.simulator.policy.Policies;
import dev.cotenant.simulator.world.Arrival;
import dev.cotenant.simulator.world.GpuKind;
import dev.cotenant.simulator.world.Observer;
import dev.cotenant.simulator.world.Phase;
import dev.cotenant.simulator.world.Submission;
import dev.cotenant.simulator.world.Totals;
import dev.cotenant.simulator.world.Truth;
import dev.cotenant.simulator.world.World;
import dev.cotenant.simulator.world.WorldSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Training jobs with durations on a cluster that is never short of GPUs; at most two share one, and
 * only where the pair was measured.
 *
 * <p>Poisson arrivals, 50 an hour; work log-normal with median 30 min and mean 3 h, cut at 48 h;
 * configurations uniform. These are assumptions. A job that moves loses its work.
 *
 * @param pairs the truth
 * @param decider the product's decision
 * @param mix of configurations
 * @param jobs in a run
 */
record PairDurations(PairWorld pairs, SharingDecider decider, Mix mix, int jobs) {
  private static final int GPUS = 1_000;
  private static final double SECONDS_BETWEEN = 72;
  private static final double MEDIAN_SECONDS = 1_800;
  private static final double MAX_SECONDS = 48 * 3_600;

  /** √(2 ln 6): the mean is six times the median. */
  private static final double DEVIATION = Math.sqrt(2 * StrictMath.log(6));

  /** Parts the configuration of a one-off from its number. */
  private static final char ONE_OFF = '#';

  /** Of the logarithm of speeds that a policy measures. */
  private static final double SPEED_NOISE = 0.03;

  /** Which configurations come. */
  sealed interface Mix {
    /** All of them. */
    record All() implements Mix {}

    /** All of them; of a share of jobs the configuration never comes again. */
    record OneOffs(double share) implements Mix {}

    /** Configurations of a number of models, drawn for each seed. */
    record Models(int count) implements Mix {}
  }

  /**
   * Runs a policy.
   *
   * @throws IllegalStateException when jobs are left waiting
   */
  Totals run(String policy, long seed, Observer observer) {
    DeviceId device = pairs.device().id();
    GpuKind kind = new GpuKind(pairs.device(), pairs.device().memory(), new GpuKind.Power(0, 0));
    WorldSettings settings =
        WorldSettings.of(List.of(new WorldSettings.Machine("node", kind, GPUS)), pairs)
            .withMayShare((own, other) -> pairs.wereMeasured(measured(own), measured(other)))
            .withSpeedNoise(SPEED_NOISE, seed);
    Policies.Setting setting =
        new Policies.Setting(settings, decider, SharingLimits.DEFAULT, device, 2);
    Totals totals =
        World.run(settings, arrivals(seed).iterator(), Policies.make(policy, setting), observer);
    if (totals.mostWaiting() > GPUS || totals.finished() != jobs) {
      throw new IllegalStateException(policy + " left jobs waiting on " + GPUS + " GPUs");
    }
    return totals;
  }

  private static String measured(String configuration) {
    int end = configuration.indexOf(ONE_OFF);
    return end < 0 ? configuration : configuration.substring(0, end);
  }

  private List<Arrival> arrivals(long seed) {
    List<PairWorld.Configuration> configurations = configurations(seed);
    Draws draws = new Draws(seed);
    List<Arrival> arrivals = new ArrayList<>();
    double at = 0;
    for (int i = 0; i < jobs; i++) {
      at += draws.exponential(SECONDS_BETWEEN);
      PairWorld.Configuration drawn = configurations.get(draws.index(configurations.size()));
      double work = Math.min(MAX_SECONDS, draws.logNormal(MEDIAN_SECONDS, DEVIATION));
      boolean once = mix instanceof Mix.OneOffs(double share) && draws.uniform(0, 1) < share;
      String configuration = once ? drawn.name() + ONE_OFF + i : drawn.name();
      arrivals.add(arrival(new Job(i, configuration, at, work), drawn));
    }
    return arrivals;
  }

  private List<PairWorld.Configuration> configurations(long seed) {
    if (!(mix instanceof Mix.Models(int count))) {
      return pairs.configurations();
    }
    List<String> models =
        new ArrayList<>(
            pairs.configurations().stream()
                .map(PairWorld.Configuration::model)
                .distinct()
                .toList());
    Draws draws = new Draws(~seed);
    while (models.size() > count) {
      models.remove(draws.index(models.size()));
    }
    return pairs.configurations().stream()
        .filter(configuration -> models.contains(configuration.model()))
        .toList();
  }

  private Arrival arrival(Job job, PairWorld.Configuration drawn) {
    MemorySize memory = drawn.memory();
    Map<DeviceId, Prediction> predictions =
        Map.of(
            pairs.device().id(),
            Predictions.exact(pairs.device(), drawn.utilizationPercent(), memory));
    return new Arrival(
        Draws.seconds(job.at()),
        new Submission("job-" + job.number(), job.configuration(), memory, predictions),
        Truth.of(Phase.of(Draws.seconds(Math.max(1, job.work())), drawn.load(), memory)));
  }

  /** A job that comes; times in seconds. */
  private record Job(int number, String configuration, double at, double work) {}
}
