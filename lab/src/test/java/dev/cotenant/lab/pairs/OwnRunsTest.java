package dev.cotenant.lab.pairs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.datasets.named.PairedJobs;
import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A predictor that says 40 % and 2 GiB of everybody, in a cluster where it is 60 % and 3 GiB. */
class OwnRunsTest {
  private static final DeviceCatalogue DEVICES = DeviceCatalogue.builtIn();
  private static final Device DEVICE = DEVICES.require("rtx-3090");
  private static final List<String> MODELS =
      List.of("ResNet18", "VGG", "EfficientNet", "MobileNetV2");
  private static final String JOB = "VGG CIFAR-10 b64 amp0";

  private static Prediction shipped(PredictionRequest request) {
    return new Prediction(
        request.device().id(),
        request.model().batchSize(),
        request.settings(),
        new UtilizationEstimate(
            Utilization.ofPercent(40),
            Utilization.ofPercent(30),
            Utilization.ofPercent(50),
            Coverage.of(0.8)),
        new MemoryEstimate(
            MemorySize.ofGiB(2), MemorySize.ofGiB(1), MemorySize.ofGiB(4), Coverage.of(0.8)),
        "shipped",
        List.of());
  }

  /** All batches and precisions, each a little off what they have in common. */
  private static SortedMap<String, OwnRuns.Run> runs() {
    SortedMap<String, OwnRuns.Run> runs = new TreeMap<>();
    for (String model : MODELS) {
      for (int batch : new int[] {32, 64, 128}) {
        for (int amp = 0; amp < 2; amp++) {
          TrainingPair.Job job =
              new TrainingPair.Job(model, "CIFAR-10 b" + batch + " amp" + amp, null);
          runs.put(job.name(), run(job, 59 + runs.size() % 3));
        }
      }
    }
    return runs;
  }

  private static OwnRuns.Run run(TrainingPair.Job job, double percent) {
    ProfileRow graph = PairedJobs.ofLucid().profile(job, DEVICE.id()).orElseThrow();
    Measurement measurement =
        Measurement.NONE
            .withUtilization(Utilization.ofPercent(percent))
            .withPeakMemory(MemorySize.ofMiB(Math.round(50 * percent)));
    return new OwnRuns.Run(job.model(), PairSets.with(graph, measurement));
  }

  private static Map<PriorRuns, Prediction> predictions(SortedMap<String, OwnRuns.Run> runs) {
    return new OwnRuns(new LifeCycle(OwnRunsTest::shipped, DEVICES), DEVICE, runs).predictions(JOB);
  }

  @ParameterizedTest
  @EnumSource
  void learnsWhatAllRunsHaveInCommon(PriorRuns learned) {
    Prediction prediction = Objects.requireNonNull(predictions(runs()).get(learned));

    assertThat(prediction.utilization().mean().percent()).isBetween(55.0, 62.0);
    assertThat(prediction.peakMemory().mean().toGiB()).isBetween(2.7, 3.1);
    assertThat(prediction.work()).isNotNull();
  }

  @Test
  void neverLearnsFromTheJobItselfNorFromItsModelWhereThatIsNew() {
    Map<PriorRuns, Prediction> before = predictions(runs());
    SortedMap<String, OwnRuns.Run> other = runs();
    other.put(JOB, run(new TrainingPair.Job("VGG", "CIFAR-10 b64 amp0", null), 5));
    Map<PriorRuns, Prediction> after = predictions(other);

    assertThat(changed(before, after)).containsOnlyKeys(PriorRuns.ALL, PriorRuns.REGISTERED);

    for (int batch : new int[] {32, 128}) {
      TrainingPair.Job same = new TrainingPair.Job("VGG", "CIFAR-10 b" + batch + " amp0", null);
      other.put(same.name(), run(same, 5));
    }
    assertThat(changed(before, predictions(other)))
        .containsKey(PriorRuns.OTHERS)
        .doesNotContainKey(PriorRuns.OTHER_MODELS);
  }

  private static Map<PriorRuns, Prediction> changed(
      Map<PriorRuns, Prediction> before, Map<PriorRuns, Prediction> after) {
    Map<PriorRuns, Prediction> changed = new EnumMap<>(after);
    before.forEach(changed::remove);
    return changed;
  }

  /** It ran at 60 or so; only where it has run itself that is what is said of it. */
  @Test
  void remembersTheJobsOwnRunWhereItHasRun() {
    SortedMap<String, OwnRuns.Run> runs = runs();
    double ran =
        Objects.requireNonNull(Objects.requireNonNull(runs.get(JOB)).row().utilization()).percent();

    predictions(runs)
        .forEach((learned, prediction) -> {
          boolean itself = learned == PriorRuns.ALL || learned == PriorRuns.REGISTERED;
          assertThat(prediction.measured() != null).as("%s", learned).isEqualTo(itself);
          if (itself) {
            assertThat(prediction.utilization().mean().percent()).isCloseTo(ran, within(1e-9));
          }
        });
  }

  /* 13.4 · e^0.128 − 1 = 14.23 %, 2,000 MiB · e^0.05 = 2,102.5 MiB. */
  @Test
  void remembersRunsOfJobsWithoutAGraph() {
    Measurement alone =
        Measurement.NONE
            .withUtilization(Utilization.ofPercent(12.4))
            .withPeakMemory(MemorySize.ofMiB(2_000));

    Prediction prediction = Ungraphed.after(alone, DEVICE);

    assertThat(prediction.utilization().mean().percent()).isCloseTo(12.4, within(1e-9));
    assertThat(prediction.utilization().upper().percent()).isCloseTo(14.23, within(0.01));
    assertThat(prediction.peakMemory().upper().toMiB()).isCloseTo(2_102.5, within(0.1));
    assertThat(prediction.work()).isNull();
  }

  @Test
  void staysWithWhatShipsWhereThereAreTooFewRuns() {
    SortedMap<String, OwnRuns.Run> few = new TreeMap<>(runs());
    few.keySet().removeIf(name -> !name.startsWith("VGG") || !name.endsWith("amp0"));

    assertThat(predictions(few).values())
        .hasSize(PriorRuns.values().length)
        .allMatch(prediction -> prediction.modelVersion().equals("shipped"));
  }

  @Test
  void predictsNothingOfJobsThatWereNotMeasured() {
    SortedMap<String, OwnRuns.Run> without = runs();
    without.remove(JOB);

    assertThat(predictions(without)).isEmpty();
  }
}
