package dev.cotenant.lab.pairs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.datasets.colocation.LucidPairsSource;
import dev.cotenant.datasets.named.PairedJobs;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.lab.untimed.SimulationRow;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.predictor.Predictor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class PairReplayTest {
  private static final DeviceCatalogue DEVICES = DeviceCatalogue.builtIn();
  private static final ReplayedJob CALM = job("calm", 20, 4);
  private static final ReplayedJob BUSY = job("busy", 90, 4);
  private static final ReplayedJob LARGE = job("large", 20, 22);

  private static ReplayedJob job(String name, double percent, long gib) {
    return new ReplayedJob(
        name, Utilization.ofPercent(percent), MemorySize.ofGiB(gib), null, Map.of());
  }

  /** Two calm jobs get on, busy ones slow everybody down by a third; large and busy never met. */
  private static MeasuredPairs truth() {
    return new MeasuredPairs(
        DEVICES.require("rtx-3090"),
        List.of(BUSY, CALM, LARGE),
        Map.of(
            new MeasuredPairs.Together("calm", "calm"), 0.95,
            new MeasuredPairs.Together("calm", "busy"), 0.75,
            new MeasuredPairs.Together("busy", "calm"), 0.95,
            new MeasuredPairs.Together("busy", "busy"), 0.6,
            new MeasuredPairs.Together("large", "calm"), 0.99,
            new MeasuredPairs.Together("calm", "large"), 0.99,
            new MeasuredPairs.Together("large", "large"), 0.99));
  }

  private static Map<String, Map<String, Double>> run(MeasuredPairs truth) {
    return run(truth, _ -> true);
  }

  private static Map<String, Map<String, Double>> run(
      MeasuredPairs truth, Predicate<String> wanted) {
    Map<String, Map<String, Double>> figures = new HashMap<>();
    SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());
    for (SimulationRow row : new PairReplay("test", truth, decider, 5).run(wanted, _ -> {})) {
      figures.put(row.policy(), row.figures());
    }
    return figures;
  }

  private static double figure(
      Map<String, Map<String, Double>> figures, String policy, String key) {
    return figures.getOrDefault(policy, Map.of()).getOrDefault(key, Double.NaN);
  }

  @Test
  void offersOnlyGpusWithOneJobThatWasMeasuredBesideThePod() {
    PairCluster cluster = new PairCluster(truth());
    cluster.open(BUSY);
    cluster.open(CALM);
    cluster.openWhole(CALM);

    assertThat(cluster.candidates(LARGE))
        .extracting(gpu -> gpu.first().name())
        .containsExactly("calm");
    cluster.join(cluster.candidates(LARGE).getFirst(), LARGE);
    assertThat(cluster.candidates(CALM))
        .extracting(gpu -> gpu.first().name())
        .containsExactly("busy");
  }

  /* busy + calm: 1 / 0.75 = 1.33 > 1.15; calm + large: 26 GiB of 24; calm + calm: 1.05, 8 GiB. */
  @Test
  void countsWhatThenBrokeALimit() {
    PairCluster cluster = new PairCluster(truth());
    for (ReplayedJob first : List.of(BUSY, CALM, CALM)) {
      cluster.open(first);
    }
    List<PairCluster.Gpu> gpus = cluster.candidates(CALM);
    cluster.join(gpus.get(0), CALM);
    cluster.join(gpus.get(1), LARGE);
    cluster.join(gpus.get(2), CALM);

    MemorySize capacity = MemorySize.ofGiB(24);
    assertThat(cluster.shared()).isEqualTo(3);
    assertThat(cluster.slowed(1.15)).isEqualTo(1);
    assertThat(cluster.overfull(capacity)).isEqualTo(1);
    assertThat(cluster.unharmed(1.15, capacity)).isEqualTo(2);
  }

  @Test
  void breaksNothingWithKnowledgeOrAlone() {
    Map<String, Map<String, Double>> figures = run(truth());

    for (String policy : List.of("oracle", "exclusive", "decide-measured", "decide")) {
      assertThat(figures.get(policy))
          .as(policy)
          .containsEntry("broke_slowdown", 0.0)
          .containsEntry("broke_memory", 0.0);
    }
    assertThat(figures.get("exclusive")).containsEntry("jobs_per_gpu", 1.0);
    assertThat(figures.get("oracle")).containsEntry("oracle_density_percent", 100.0);
    assertThat(figures.get("gpushare+0%")).containsEntry("broke_memory", 0.0);
    assertThat(figure(figures, "gpushare+0%", "broke_slowdown")).isPositive();
    assertThat(figure(figures, "tenants-2", "broke_memory")).isPositive();
  }

  /* There is no graph of these jobs, so that without measurements each has a whole GPU. */
  @Test
  void givesJobsThatNothingIsPredictedOfAWholeGpu() {
    assertThat(run(truth()).get("decide")).containsEntry("jobs_per_gpu", 1.0);
    assertThat(figure(run(truth()), "decide-measured", "jobs_per_gpu")).isGreaterThan(1);
  }

  @Test
  void repeatsItself() {
    assertThat(run(truth())).isEqualTo(run(truth()));
  }

  @Test
  void refusesASetWithNothingToReplay() {
    TrainingPair.Job unknown = new TrainingPair.Job("nobody", "", null);
    ColocationRows rows =
        new ColocationRows(
            List.of(),
            List.of(),
            List.of(new TrainingPair("x:1", "v100", unknown, unknown, 1)),
            List.of(),
            List.of());

    assertThatThrownBy(
            () -> new PairSets(DEVICES, Predictor.builtIn()).of(rows, PairedJobs.ofGavel()))
        .isInstanceOf(InputException.class);
  }

  /** By what was measured alone fewer pods are harmed than by trust in requests, at most GPUs. */
  @Test
  void harmsFewerPodsThanTrustInRequestsOnLucidsPairs() {
    MeasuredPairs truth =
        new PairSets(DEVICES, Predictor.builtIn())
            .of(
                new LucidPairsSource(OutsideData.require("data/lucid")).read(),
                PairedJobs.ofLucid())
            .getFirst();
    List<String> trusting = List.of("gpushare+0%", "gpushare+100%", "gpushare+250%");
    Map<String, Map<String, Double>> figures =
        run(truth, name -> name.startsWith("decide-measured") || trusting.contains(name));

    for (String policy : trusting) {
      assertThat(figure(figures, "decide-measured", "harmed_pods_percent"))
          .isLessThan(figure(figures, policy, "harmed_pods_percent"));
      assertThat(figure(figures, "decide-measured", "unharmed_jobs_per_gpu"))
          .isGreaterThan(figure(figures, policy, "unharmed_jobs_per_gpu"));
    }
    assertThat(figure(figures, "decide-measured", "jobs_per_gpu")).isGreaterThan(1.7);
  }
}
