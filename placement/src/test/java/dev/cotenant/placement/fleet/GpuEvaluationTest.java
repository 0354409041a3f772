package dev.cotenant.placement.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.placement.fleet.GpuEvaluation.TurnPrediction;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GpuEvaluationTest {
  private static final String V100 = "v100-16gb";
  private static final ProfileBook BOOK = ProfileBook.builtIn();

  private static Service service(String name, String profile, double slo, double rate) {
    return new Service(name, slo, rate, null, Map.of(V100, BOOK.workload(profile).orElseThrow()));
  }

  private static Fleet fleet(Service... services) {
    DeviceType type =
        new DeviceType(V100, MemorySize.ofGiB(16), 3.06, 10, BOOK.requireDevice(V100));
    return new Fleet(List.of(type), List.of(services), List.of(), List.of(), Arrivals.CONSTANT);
  }

  /** W7 and W4 of the paper's twelve share a V100 with 60 % and 32.5 %: figures of its authors. */
  @Test
  void agreesWithTheAuthorsOnTwoPartitions() {
    Fleet fleet = fleet(service("W7", "vgg19", 20, 300), service("W4", "resnet50", 20, 400));
    PlannedGpu gpu =
        PlannedGpu.serving(
            V100,
            List.of(
                Partition.of(Share.ofPercent(60), new Turn("W7", 3, 300)),
                Partition.of(Share.ofPercent(32.5), new Turn("W4", 4, 400))));

    List<List<TurnPrediction>> predictions = new GpuEvaluation(fleet).of(gpu);

    TurnPrediction vgg = predictions.get(0).getFirst();
    assertThat(vgg.latencyMillis()).isCloseTo(9.974982461075735, within(1e-9));
    assertThat(vgg.throughputPerSecond()).isCloseTo(306.2990753701316, within(1e-9));
    assertThat(vgg.meets()).isTrue();
    TurnPrediction resnet = predictions.get(1).getFirst();
    assertThat(resnet.latencyMillis()).isCloseTo(9.686737336732696, within(1e-9));
    assertThat(resnet.worstMillis()).isCloseTo(2 * 9.686737336732696, within(1e-9));
  }

  @Test
  void turnsShareTheTimeOfTheirPartition() {
    Fleet fleet = fleet(service("a", "alexnet", 100, 10), service("b", "resnet50", 100, 10));
    GpuEvaluation evaluation = new GpuEvaluation(fleet);
    Turn first = new Turn("a", 4, 10);
    Turn second = new Turn("b", 4, 10);
    TurnPrediction alone = only(evaluation, first);
    TurnPrediction other = only(evaluation, second);
    PlannedGpu both =
        PlannedGpu.serving(
            V100, List.of(new Partition(Share.ofPercent(50), List.of(first, second))));

    List<TurnPrediction> turns = evaluation.of(both).getFirst();

    // One cycle runs both batches: 4/h_a + 4/h_b; each serves its batch of 4 a cycle.
    double cycle = 4 / alone.throughputPerSecond() + 4 / other.throughputPerSecond();
    assertThat(turns.get(0).throughputPerSecond()).isCloseTo(4 / cycle, within(1e-9));
    assertThat(turns.get(1).throughputPerSecond()).isCloseTo(4 / cycle, within(1e-9));
    assertThat(turns.get(0).latencyMillis()).isEqualTo(alone.latencyMillis());
    assertThat(turns.get(0).worstMillis())
        .isCloseTo(1000 * cycle + alone.latencyMillis(), within(1e-9));
  }

  @Test
  void missesWhereTheRateIsBeyondTheThroughput() {
    Fleet fleet = fleet(service("W4", "resnet50", 20, 4000));
    PlannedGpu gpu =
        PlannedGpu.serving(
            V100, List.of(Partition.of(Share.ofPercent(100), new Turn("W4", 4, 4000))));

    assertThat(new GpuEvaluation(fleet).of(gpu).getFirst().getFirst().meets()).isFalse();
  }

  @Test
  void givesNoFigureWhereSharesAreExceeded() {
    Fleet fleet = fleet(service("a", "alexnet", 100, 10), service("b", "resnet50", 100, 10));
    PlannedGpu gpu =
        PlannedGpu.serving(
            V100,
            List.of(
                Partition.of(Share.ofPercent(60), new Turn("a", 1, 10)),
                Partition.of(Share.ofPercent(60), new Turn("b", 1, 10))));

    TurnPrediction prediction = new GpuEvaluation(fleet).of(gpu).getFirst().getFirst();

    assertThat(prediction.latencyMillis()).isInfinite();
    assertThat(prediction.throughputPerSecond()).isZero();
    assertThat(prediction.meets()).isFalse();
  }

  private static TurnPrediction only(GpuEvaluation evaluation, Turn turn) {
    return evaluation
        .of(PlannedGpu.serving(V100, List.of(Partition.of(Share.ofPercent(50), turn))))
        .getFirst()
        .getFirst();
  }
}
