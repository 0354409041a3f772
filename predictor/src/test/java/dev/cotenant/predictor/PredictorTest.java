package dev.cotenant.predictor;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.Serving;
import dev.cotenant.domain.prediction.ShareCurve;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.model.MemoryParts;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PredictorTest {
  private static final RunSettings INFERENCE =
      RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);

  private final Predictor predictor = Predictor.builtIn();
  private final Device a100 = DeviceCatalogue.builtIn().require("a100-40gb");
  private final Device h200 = DeviceCatalogue.builtIn().require("h200-141gb");

  /** Eight convolutions and one linear layer: within what the shipped forest has seen. */
  private static ModelFeatures small(int batch) {
    return new ModelFeatures(
        new LayerCounts(8, 1, 8, 9),
        8,
        5_000_000,
        MemorySize.ofBytes(20_000_000),
        500_000_000L * batch,
        MemorySize.ofBytes(20_000_000L * batch),
        MemorySize.ofBytes(600_000L * batch),
        batch);
  }

  private static ModelFeatures deep() {
    return new ModelFeatures(
        new LayerCounts(400, 1, 400, 400),
        400,
        5_000_000,
        MemorySize.ofBytes(20_000_000),
        16_000_000_000L,
        MemorySize.ofBytes(640_000_000L),
        MemorySize.ofBytes(19_200_000L),
        32);
  }

  @Test
  void answersWithoutWarningWhereItHasSeenTheLike() {
    Prediction prediction = predictor.predict(small(32), RunSettings.DEFAULT, a100);
    assertThat(prediction.warnings()).isEmpty();
    assertThat(prediction.device()).isEqualTo(a100.id());
    assertThat(prediction.batchSize()).isEqualTo(32);
    assertThat(prediction.modelVersion())
        .isEqualTo(predictor.version())
        .matches("hybrid-3-[0-9a-f]{12}");
    assertThat(prediction.coverage()).contains(Coverage.of(0.9));
    assertThat(prediction.utilization().upper()).isLessThan(Utilization.FULL);
  }

  @Test
  void widensAndWarnsForADeviceItNeverSaw() {
    Prediction seen = predictor.predict(small(32), RunSettings.DEFAULT, a100);
    Prediction unseen = predictor.predict(small(32), RunSettings.DEFAULT, h200);
    assertThat(unseen.warnings())
        .singleElement()
        .asString()
        .contains("device")
        .contains("a100-40gb");
    assertWider(unseen, seen);
  }

  @Test
  void warnsWithTheNumbersOfWhatLiesOutsideTheTrainingData() {
    Prediction prediction = predictor.predict(deep(), RunSettings.DEFAULT, a100);
    assertThat(prediction.warnings())
        .singleElement()
        .asString()
        .contains(
            "of a100-40gb: convolution layers 400", "activation layers 400", "other layers 400")
        .doesNotContain("linear layers 1 ");
  }

  /** The shipped forest saw at most 30 convolutions on an A100, but 94 on another device. */
  @Test
  void vouchesForNoModelOnADeviceWhereOnlyAnotherRanTheLike() {
    LayerCounts layers = new LayerCounts(53, 1, 49, 60);
    ModelFeatures resnet50 =
        new ModelFeatures(
            layers,
            53,
            25_557_032,
            MemorySize.ofBytes(102_228_128),
            4_089_000_000L * 32,
            MemorySize.ofBytes(44_000_000L * 32),
            MemorySize.ofBytes(602_112L * 32),
            32);
    assertThat(predictor.predict(resnet50, RunSettings.DEFAULT, a100).warnings())
        .singleElement()
        .asString()
        .contains("of a100-40gb: convolution layers 53 (training had 0 to 30)");
  }

  @Test
  void knowsDevicesWhoseRunsWereLearnedFromSince() {
    PredictionRequest request = PredictionRequest.of(small(32), RunSettings.DEFAULT, h200);
    assertThat(predictor.predict(request).warnings())
        .anyMatch(line -> line.startsWith("The device was not among"));
    assertThat(predictor.predict(request.withMeasured(Set.of(h200.id()))).warnings())
        .noneMatch(line -> line.startsWith("The device was not among"));
  }

  @Test
  void statesTheRequestedLevelAndTheRowsThatItRestsOn() {
    for (ModelFeatures model : List.of(small(32), deep())) {
      for (Device device : List.of(a100, h200)) {
        Prediction prediction = predictor.predict(model, RunSettings.DEFAULT, device);
        assertThat(prediction.coverage()).contains(Coverage.STANDARD);
        assertThat(prediction.utilization().group()).isNotNull();
        assertThat(prediction.peakMemory().group()).isNotNull();
      }
    }
    assertThat(predictor.predict(small(32), RunSettings.DEFAULT, h200).utilization().group())
        .extracting(CalibrationGroup::name)
        .isEqualTo("families and devices held out");
  }

  @Test
  void widensWithTheLevelOnSeenAndUnseenDevices() {
    for (Device device : List.of(a100, h200)) {
      PredictionRequest request = PredictionRequest.of(small(32), RunSettings.DEFAULT, device);
      Prediction narrow = predictor.predict(request.at(Coverage.of(0.8)));
      Prediction wide = predictor.predict(request.at(Coverage.of(0.95)));
      assertThat(narrow.coverage()).contains(Coverage.of(0.8));
      assertThat(wide.coverage()).contains(Coverage.of(0.95));
      assertThat(wide.utilization().upper()).isGreaterThan(narrow.utilization().upper());
      assertThat(wide.peakMemory().upper()).isGreaterThan(narrow.peakMemory().upper());
    }
  }

  /** 0.9999 needs 9,999 rows; the A100 has 5,311. */
  @Test
  void statesALesserCoverageAndWarnsWhereTheRowsDoNotSufficeForTheLevel() {
    Coverage level = Coverage.of(0.9999);
    Prediction prediction =
        predictor.predict(PredictionRequest.of(small(32), RunSettings.DEFAULT, a100).at(level));
    assertThat(prediction.coverage().orElseThrow()).isLessThan(level);
    assertThat(prediction.warnings()).anyMatch(line -> line.contains("9999 calibration rows"));
  }

  @Test
  void neverBoundsAnUnseenDeviceTighterThanAnUnseenModel() {
    Prediction outside = predictor.predict(deep(), RunSettings.DEFAULT, a100);
    Prediction unseen = predictor.predict(deep(), RunSettings.DEFAULT, h200);
    assertThat(headroom(unseen)).isGreaterThan(headroom(outside));
  }

  /** Bytes between estimate and upper bound. */
  private static long headroom(Prediction prediction) {
    return prediction.peakMemory().upper().bytes() - prediction.peakMemory().mean().bytes();
  }

  private static double ratio(Prediction prediction) {
    return (double) prediction.peakMemory().upper().bytes()
        / prediction.peakMemory().mean().bytes();
  }

  @Test
  void saysBeyondWhichMemoryIsNotPredicted() {
    assertThat(predictor.predict(largest(), RunSettings.DEFAULT, a100).warnings())
        .anyMatch(line -> line.contains("beyond 16384 GiB"));
  }

  /** Relative to the estimate, which a faster device may well lower. */
  private static void assertWider(Prediction wide, Prediction narrow) {
    assertThat(ratio(wide)).isGreaterThan(ratio(narrow));
  }

  @Test
  void answersInferenceWithoutARateByItsCapacity() {
    Prediction prediction = predictor.predict(small(32), INFERENCE, a100);
    Serving serving = prediction.serving().orElseThrow();
    assertThat(prediction.utilization()).isEqualTo(serving.atCapacity());
    assertThat(serving.byRate()).hasSizeGreaterThan(2);
    assertThat(prediction.utilization().lower()).isGreaterThan(Utilization.IDLE);
    assertThat(prediction.coverage()).isPresent();
    assertThat(prediction.warnings()).anyMatch(line -> line.contains("No request rate is stated"));
  }

  @Test
  void saysHowMuchLongerInferenceTakesInPartitions() {
    ShareCurve shares =
        Objects.requireNonNull(predictor.predict(small(32), INFERENCE, a100).shares());
    assertThat(shares.points()).hasSize(10);
    assertThat(shares.points().getLast()).isEqualTo(ShareCurve.Point.WHOLE);
    for (int i = 1; i < shares.points().size(); i++) {
      ShareCurve.Point smaller = shares.points().get(i - 1);
      ShareCurve.Point larger = shares.points().get(i);
      assertThat(smaller.share()).isLessThan(larger.share());
      assertThat(smaller.stepFactor()).isGreaterThanOrEqualTo(larger.stepFactor());
      assertThat(smaller.busyFactor()).isGreaterThanOrEqualTo(larger.busyFactor());
    }
    assertThat(shares.points().getFirst().stepFactor()).isBetween(1.0, 10.0);
    assertThat(predictor.predict(small(32), RunSettings.DEFAULT, a100).shares()).isNull();
  }

  @Test
  void multipliesRateAndBusyTimeOfARequest() {
    RunSettings served = INFERENCE.withLoad(new Load.RequestRate(100));
    Prediction prediction = predictor.predict(small(32), served, a100);
    double busySeconds = requireNonNull(prediction.busyTime()).meanSeconds();
    assertThat(prediction.utilization().mean().percent())
        .isCloseTo(100 * 100 / 32.0 * busySeconds, within(1e-9));
    assertThat(prediction.requirePossible()).isSameAs(prediction);
  }

  @Test
  void namesTheCapacityThatARateExceeds() {
    RunSettings served = INFERENCE.withLoad(new Load.RequestRate(1e9));
    Prediction prediction = predictor.predict(small(32), served, a100);
    assertThat(prediction.utilization().upper()).isEqualTo(Utilization.FULL);
    double capacity = prediction.serving().orElseThrow().capacity().meanPerSecond();
    assertThatThrownBy(prediction::requirePossible)
        .isInstanceOf(InputException.class)
        .hasMessageContaining("capacity of " + Serving.text(capacity) + "/s")
        .hasMessageContaining("a100-40gb");
  }

  @Test
  void lowersTheUtilizationOfTrainingThatWaitsForInput() {
    Prediction free = predictor.predict(small(32), RunSettings.DEFAULT, a100);
    Prediction waiting =
        predictor.predict(small(32), RunSettings.DEFAULT.withLoad(new Load.InputWait(0.75)), a100);
    assertThat(waiting.utilization().upper().percent())
        .isCloseTo(free.utilization().upper().percent() / 4, within(1e-9));
    assertThat(requireNonNull(waiting.stepTime()).meanSeconds())
        .isCloseTo(4 * requireNonNull(free.stepTime()).meanSeconds(), within(1e-12));
    Utilization limit = Utilization.ofPercent(1);
    Prediction limited =
        predictor.predict(
            small(32), RunSettings.DEFAULT.withLoad(new Load.UtilizationLimit(limit)), a100);
    assertThat(limited.utilization().upper()).isEqualTo(limit);
  }

  @Test
  void answersOtherPrecisionsByTheRateOfTheDeviceAndSaysSo() {
    RunSettings half = RunSettings.of(ExecutionMode.TRAINING, Precision.BF16);
    Prediction prediction = predictor.predict(small(8), half, a100);
    Prediction full = predictor.predict(small(8), RunSettings.DEFAULT, a100);
    // sixteen times the rate: the device is done sooner and waits longer for the host
    assertThat(prediction.utilization().mean()).isLessThan(full.utilization().mean());
    assertThat(prediction.utilization().coverage()).isNull();
    assertThat(prediction.warnings()).singleElement().asString().contains("bf16");
  }

  /** The records themselves refuse NaN, disorder and utilization beyond 100 %. */
  @Test
  void answersEveryQuestionThatCanBePut() {
    Random random = new Random(13);
    for (int trial = 0; trial < 2000; trial++) {
      Device device =
          DeviceCatalogue.builtIn().devices().stream()
              .skip(random.nextInt(18))
              .findFirst()
              .orElseThrow();
      RunSettings settings =
          RunSettings.of(
                  random.nextBoolean() ? ExecutionMode.TRAINING : ExecutionMode.INFERENCE,
                  random.nextBoolean() ? Precision.FP32 : Precision.AMP)
              .withFramework(random.nextBoolean() ? Framework.PYTORCH : Framework.TENSORFLOW);
      assertThat(predictor.predict(any(random), settings, device)).isNotNull();
    }
    assertThat(predictor.predict(largest(), RunSettings.DEFAULT, a100)).isNotNull();
    assertThat(predictor.predict(largest(), INFERENCE, a100)).isNotNull();
    assertThat(predictor.predict(emptyModel(), RunSettings.DEFAULT, a100)).isNotNull();
    assertThat(predictor.predict(emptyModel(), INFERENCE, a100)).isNotNull();
  }

  private static ModelFeatures any(Random random) {
    return new ModelFeatures(
        new LayerCounts(random.nextInt(100), random.nextInt(100), random.nextInt(100), 1),
        random.nextInt(2),
        random.nextLong(1L << 40),
        MemorySize.ofBytes(random.nextLong(1L << random.nextInt(1, 63))),
        random.nextLong(1L << random.nextInt(1, 63)),
        MemorySize.ofBytes(random.nextLong(1L << random.nextInt(1, 63))),
        MemorySize.ofBytes(random.nextLong(1L << random.nextInt(1, 63))),
        1 + random.nextInt(1 << 20));
  }

  private static ModelFeatures largest() {
    int most = Integer.MAX_VALUE;
    MemorySize bytes = MemorySize.ofBytes(Long.MAX_VALUE);
    return new ModelFeatures(
        new LayerCounts(most, most, most, most),
        most,
        Long.MAX_VALUE,
        bytes,
        Long.MAX_VALUE,
        bytes,
        bytes,
        most);
  }

  private static ModelFeatures emptyModel() {
    return new ModelFeatures(
        new LayerCounts(0, 0, 0, 0), 0, 0, MemorySize.ZERO, 0, MemorySize.ZERO, MemorySize.ZERO, 1);
  }

  @Test
  void partsOfMemoryAreThoseOfTheFormula() {
    PredictionRequest training = PredictionRequest.of(small(32), RunSettings.DEFAULT, a100);
    MemoryParts parts = predictor.memoryParts(training).orElseThrow();
    // weights and two moments of 20 MB, some percent more in blocks
    assertThat(parts.weights().bytes()).isBetween(50_000_000L, 90_000_000L);
    assertThat(parts.activations().bytes()).isGreaterThan(parts.weights().bytes());
    assertThat(parts.process().bytes()).isGreaterThan(MemorySize.ofMiB(300).bytes());
    MemoryParts doubled =
        predictor
            .memoryParts(PredictionRequest.of(small(64), RunSettings.DEFAULT, a100))
            .orElseThrow();
    assertThat(doubled.weights()).isEqualTo(parts.weights());
    assertThat(doubled.process()).isEqualTo(parts.process());
    assertThat((double) doubled.activations().bytes())
        .isCloseTo(2.0 * parts.activations().bytes(), within(0.1 * parts.activations().bytes()));
    MemoryParts served =
        predictor.memoryParts(PredictionRequest.of(small(32), INFERENCE, a100)).orElseThrow();
    assertThat(served.gradients()).isEqualTo(MemorySize.ZERO);
  }
}
