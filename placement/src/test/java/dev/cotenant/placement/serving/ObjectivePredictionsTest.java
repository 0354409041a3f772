package dev.cotenant.placement.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.ShareCurve;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ProfiledPartition;
import dev.cotenant.placement.serving.ObjectivePredictions.Limiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ObjectivePredictionsTest {
  private static final DeviceId DEVICE = new DeviceId("a100-40gb");
  private static final Duration OBJECTIVE = Duration.ofMillis(50);
  private static final StepTimeEstimate STEP =
      new StepTimeEstimate(0.004, 0.003, 0.005, null, null);
  private static final ShareCurve SHARES =
      new ShareCurve(
          List.of(
              new ShareCurve.Point(Share.ofPercent(10), 4, 4),
              new ShareCurve.Point(Share.ofPercent(20), 2, 2),
              new ShareCurve.Point(Share.ofPercent(50), 1, 1),
              ShareCurve.Point.WHOLE));

  private static Prediction prediction(ExecutionMode mode, Load load) {
    return new Prediction(
            DEVICE,
            4,
            RunSettings.of(mode, Precision.FP32).withLoad(load),
            new UtilizationEstimate(
                Utilization.ofPercent(1), Utilization.IDLE, Utilization.ofPercent(2), null),
            new MemoryEstimate(MemorySize.ofGiB(1), MemorySize.ofGiB(1), MemorySize.ofGiB(2), null),
            "test",
            List.of())
        .withStepTime(STEP)
        .withBusyTime(STEP.scaledTo(0.002))
        .withShares(SHARES);
  }

  private static Prediction answered(Prediction prediction, Limiting limiting) {
    return Objects.requireNonNull(
        ObjectivePredictions.of(Map.of(DEVICE, prediction), OBJECTIVE, _ -> limiting).get(DEVICE));
  }

  private static ObjectivePrediction predicted(double rate) {
    Prediction served = prediction(ExecutionMode.INFERENCE, new Load.RequestRate(rate));
    return Objects.requireNonNull(answered(served, new Limiting.None()).service());
  }

  @Test
  void answersByTheUpperBoundOfTheStep() {
    ObjectivePrediction predicted = predicted(100);

    assertThat(predicted.isMissed()).isFalse();
    assertThat(predicted.aloneSeconds()).isBetween(0.005, 0.011);
    double step = 5 * predicted.mostSlowdown();
    assertThat(new BulkQueue(BulkQueue.constant(4, step * 0.99), 100).keeps(50)).isTrue();
    assertThat(new BulkQueue(BulkQueue.constant(4, step * 1.02), 100).keeps(50)).isFalse();
    assertThat(predicted.share()).isEqualTo(Share.WHOLE);
    assertThat(predicted.mostPerSecond()).isEqualTo(100);
  }

  @Test
  void standsLessTheMoreRequestsCome() {
    assertThat(predicted(700).mostSlowdown()).isBetween(1.0, predicted(100).mostSlowdown());
    ObjectivePrediction overloaded = predicted(3000);
    assertThat(overloaded.isMissed()).isTrue();
    assertThat(overloaded.aloneSeconds()).isInfinite();
    assertThat(overloaded.mostPerSecond()).isBetween(600.0, 800.0);
    assertThat(overloaded.replicas()).isBetween(4L, 5L);
    assertThat(predicted(3000.0 / overloaded.replicas()).isMissed()).isFalse();
  }

  @Test
  void countsABatchAloneWithoutARate() {
    ObjectivePrediction predicted =
        Objects.requireNonNull(
            answered(prediction(ExecutionMode.INFERENCE, Load.UNSTATED), new Limiting.None())
                .service());

    assertThat(predicted.aloneSeconds()).isCloseTo(0.005, within(1e-9));
    assertThat(predicted.mostSlowdown()).isCloseTo(10, within(1e-9));
    assertThat(predicted.requestsPerSecond()).isNull();
  }

  @Test
  void limitsToTheLeastShareThatStillStandsNeighbours() {
    Prediction served = prediction(ExecutionMode.INFERENCE, new Load.RequestRate(40));
    Prediction limited = answered(served, new Limiting.ToShare(Slowdown.ofRatio(1.15)));
    ObjectivePrediction predicted = Objects.requireNonNull(limited.service());

    assertThat(predicted.share()).isEqualTo(Share.ofPercent(10));
    assertThat(predicted.mostSlowdown()).isCloseTo(predicted(40).mostSlowdown() / 4, within(1e-6));
    assertThat(predicted.mostSlowdown()).isGreaterThanOrEqualTo(1.15);
    assertThat(limited.utilization().mean().percent()).isCloseTo(4.0, within(1e-6));

    ObjectivePrediction strict =
        Objects.requireNonNull(
            answered(served, new Limiting.ToShare(Slowdown.ofRatio(1000))).service());
    assertThat(strict.share()).isEqualTo(Share.WHOLE);
  }

  @Test
  void aProfiledServiceIsInThePartitionThatItIsLimitedTo() {
    ProfileBook book = ProfileBook.builtIn();
    ProfiledPartition whole =
        new ProfiledPartition(
            book.workload("resnet50").orElseThrow(),
            book.device("v100-16gb").orElseThrow(),
            4,
            Share.WHOLE);
    Prediction served =
        prediction(ExecutionMode.INFERENCE, new Load.RequestRate(40)).withPartition(whole);

    assertThat(answered(served, new Limiting.None()).partition()).isEqualTo(whole);
    assertThat(answered(served, new Limiting.ToShare(Slowdown.ofRatio(1.15))).partition())
        .isEqualTo(whole.in(Share.ofPercent(10)));
  }

  @Test
  void scalesTheGivenUtilizationWithItsBoundsAndCoverage() {
    Coverage coverage = Coverage.STANDARD;
    UtilizationEstimate measured =
        new UtilizationEstimate(
            Utilization.ofPercent(7),
            Utilization.ofPercent(5),
            Utilization.ofPercent(40),
            coverage,
            null);
    Limiting tight = new Limiting.ToShare(Slowdown.ofRatio(1.15));
    Prediction served =
        prediction(ExecutionMode.INFERENCE, new Load.RequestRate(40)).withUtilization(measured);
    assertThat(answered(served, tight).utilization())
        .isEqualTo(
            new UtilizationEstimate(
                Utilization.ofPercent(28),
                Utilization.ofPercent(20),
                Utilization.FULL,
                coverage,
                null));

    ShareCurve busier =
        new ShareCurve(
            List.of(new ShareCurve.Point(Share.ofPercent(10), 4, 6), ShareCurve.Point.WHOLE));
    Prediction unstated =
        prediction(ExecutionMode.INFERENCE, Load.UNSTATED)
            .withUtilization(measured)
            .withShares(busier);
    Prediction limited = answered(unstated, tight);
    assertThat(Objects.requireNonNull(limited.service()).share()).isEqualTo(Share.ofPercent(10));
    assertThat(limited.utilization().mean()).isEqualTo(Utilization.ofPercent(10.5));
  }

  @Test
  void stopsWhereTheEffortIsSpentAndGoesOnWithWhatItFound() {
    Map<DeviceId, Prediction> overloaded =
        Map.of(
            DEVICE,
            prediction(ExecutionMode.INFERENCE, new Load.RequestRate(5321)),
            new DeviceId("t4"),
            prediction(ExecutionMode.INFERENCE, new Load.RequestRate(5321)));

    int rounds = 1;
    while (ObjectivePredictions.of(
            overloaded, OBJECTIVE, _ -> new Limiting.None(), new QueueEffort(1))
        .isEmpty()) {
      rounds++;
    }
    assertThat(rounds).as("the longest step and the largest rate").isEqualTo(2);
    assertThat(
            ObjectivePredictions.of(
                overloaded, OBJECTIVE, _ -> new Limiting.None(), new QueueEffort(0)))
        .as("both are remembered")
        .isPresent();
  }

  @Test
  void promisesNoMoreByRounding() {
    Random random = new Random(7);
    for (int i = 0; i < 200; i++) {
      double rate = Math.exp(random.nextDouble(0, Math.log(3000)));
      ObjectivePrediction predicted = predicted(rate);
      double step = 5 * predicted.mostSlowdown();
      assertThat(new BulkQueue(BulkQueue.constant(4, step), rate).keeps(50)).isTrue();
      assertThat(predicted.aloneSeconds())
          .isGreaterThanOrEqualTo(
              new BulkQueue(BulkQueue.constant(4, 5), rate).p99Millis() / 1000 * (1 - 1e-6));
      if (predicted.isMissed() && predicted.mostPerSecond() > 0) {
        assertThat(predicted(predicted.mostPerSecond() * (1 - 1e-9)).isMissed()).isFalse();
      }
    }
  }

  @Test
  void leavesTrainingAndUnknownTimesAsTheyAre() {
    Prediction training = prediction(ExecutionMode.TRAINING, Load.UNSTATED);
    assertThat(answered(training, new Limiting.None())).isEqualTo(training);
  }

  private static final ProfileBook BOOK = ProfileBook.builtIn();

  private static Prediction profiled(double perSecond) {
    ProfiledPartition whole =
        new ProfiledPartition(
            BOOK.workload("resnet50").orElseThrow(),
            BOOK.requireDevice("v100-16gb"),
            8,
            Share.WHOLE);
    List<ShareCurve.Point> points = new ArrayList<>();
    for (int percent = 10; percent < 100; percent += 5) {
      double factor = 100.0 / percent;
      points.add(new ShareCurve.Point(Share.ofPercent(percent), factor, factor));
    }
    points.add(ShareCurve.Point.WHOLE);
    return prediction(ExecutionMode.INFERENCE, new Load.RequestRate(perSecond))
        .withShares(new ShareCurve(points))
        .withPartition(whole);
  }

  /** A batch of one takes less than a full one, which the queue counts where a profile says so. */
  @Test
  void listsTheSmallerSharesOfAProfiledServiceByTheTimesOfItsBatches() {
    Slowdown most = Slowdown.ofRatio(1.2);
    Prediction limited = answered(profiled(200), new Limiting.ToShare(most));
    ObjectivePrediction service = Objects.requireNonNull(limited.service());

    assertThat(service.isMissed()).isFalse();
    assertThat(service.mostSlowdown()).isGreaterThanOrEqualTo(1.2);
    assertThat(Objects.requireNonNull(limited.partition()).share()).isEqualTo(service.share());
    assertThat(service.smaller()).isNotEmpty();
    double before = 1;
    for (ObjectivePrediction.SmallerShare each : service.smaller()) {
      assertThat(each.share()).isLessThan(service.share());
      assertThat(each.mostSlowdown()).isBetween(before, 1.2);
      assertThat(each.aloneSeconds()).isBetween(service.aloneSeconds(), 0.0501);
      assertThat(each.utilizationFactor()).isGreaterThan(1);
      before = each.mostSlowdown();
    }
    ObjectivePrediction inLeast =
        Objects.requireNonNull(limited.in(service.smaller().getFirst()).service());
    assertThat(inLeast.share()).isEqualTo(service.smaller().getFirst().share());
    assertThat(inLeast.smaller()).isEmpty();
  }

  @Test
  void missesWhereNoShareOfTheProfileMeetsTheObjective() {
    ObjectivePrediction service =
        Objects.requireNonNull(
            answered(profiled(20_000), new Limiting.ToShare(Slowdown.ofRatio(1.2))).service());

    assertThat(service.isMissed()).isTrue();
    assertThat(service.share()).isEqualTo(Share.WHOLE);
    assertThat(service.replicas()).isGreaterThan(1);
    assertThat(service.smaller()).isEmpty();
  }
}
