package dev.cotenant.predictor.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TrainingRangesTest {
  private static final DeviceId SMALL = new DeviceId("small");
  private static final DeviceId LARGE = new DeviceId("large");
  private static final DeviceId OTHER = new DeviceId("other");

  /** 2 to 30 convolutions on one device, 20 and 94 on another. */
  private final TrainingRanges ranges =
      TrainingRanges.of(
          List.of(SMALL, LARGE, SMALL, LARGE),
          new float[][] {layers(2), layers(94), layers(30), layers(20)});

  private static float[] layers(int convolutions) {
    float[] vector = new float[Feature.count()];
    vector[0] = convolutions;
    vector[6] = (float) Math.log1p(1);
    return vector;
  }

  private static ModelFeatures model(int convolutions) {
    return new ModelFeatures(
        new LayerCounts(convolutions, 0, 0, 0),
        0,
        0,
        MemorySize.ZERO,
        0,
        MemorySize.ZERO,
        MemorySize.ZERO,
        1);
  }

  @Test
  void judgesAModelByTheRowsOfItsDevice() {
    assertThat(ranges.novelty(model(30), SMALL)).isEqualTo(new Novelty(SMALL, List.of(), false));
    assertThat(ranges.novelty(model(53), SMALL))
        .isEqualTo(
            new Novelty(SMALL, List.of("convolution layers 53 (training had 2 to 30)"), false));
    assertThat(ranges.novelty(model(53), LARGE).outsideFeatures()).isEmpty();
    assertThat(ranges.novelty(model(2), LARGE).outsideFeatures())
        .containsExactly("convolution layers 2 (training had 20 to 94)");
  }

  @Test
  void judgesAModelOnAnUnseenDeviceByAllRows() {
    assertThat(ranges.novelty(model(53), OTHER)).isEqualTo(new Novelty(OTHER, List.of(), true));
    assertThat(ranges.novelty(model(95), OTHER))
        .isEqualTo(
            new Novelty(OTHER, List.of("convolution layers 95 (training had 2 to 94)"), true));
  }

  @Test
  void uniteRowsDeviceByDevice() {
    TrainingRanges more =
        ranges.union(
            TrainingRanges.of(List.of(OTHER, SMALL), new float[][] {layers(1), layers(53)}));
    assertThat(more.devices()).containsExactly(LARGE, OTHER, SMALL);
    assertThat(more.novelty(model(53), SMALL).outsideFeatures()).isEmpty();
    assertThat(more.novelty(model(2), LARGE).outsideFeatures()).hasSize(1);
    assertThat(more.novelty(model(1), OTHER).unseenDevice()).isFalse();
    assertThat(ranges.devices()).containsExactly(LARGE, SMALL);
  }

  @Test
  void refusesNothingAndNonsense() {
    assertThatThrownBy(() -> new TrainingRanges(Map.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> TrainingRanges.of(List.of(SMALL), new float[0][]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Hull(layers(2), layers(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Whatever is new gets the widest of all, so that no bound shrinks as more is new. */
  @Test
  void noBoundShrinksWhenAQuestionIsOutside() {
    TargetModel model = target(new BoundCoverage(Coverage.of(0.9), null, null));
    Forest.Estimate estimate = model.forest().estimate(layers(0));
    ResidualQuantiles inside = model.offsets(estimate, ranges.novelty(model(30), SMALL));
    assertThat(inside).isEqualTo(model.familiar().times(0.03));
    for (Novelty novelty :
        List.of(
            ranges.novelty(model(53), SMALL),
            ranges.novelty(model(53), OTHER),
            ranges.novelty(model(95), OTHER))) {
      assertThat(model.offsets(estimate, novelty)).isEqualTo(new ResidualQuantiles(-2, 3));
    }
  }

  @Test
  void statesTheCoverageOfTheKindOfNoveltyAndTheLesserOfTwo() {
    TargetModel model =
        target(new BoundCoverage(Coverage.of(0.9), Coverage.of(0.4), Coverage.of(0.6)));
    assertThat(model.coverage().of(ranges.novelty(model(30), SMALL))).isEqualTo(Coverage.of(0.9));
    assertThat(model.coverage().of(ranges.novelty(model(53), SMALL))).isEqualTo(Coverage.of(0.4));
    assertThat(model.coverage().of(ranges.novelty(model(53), OTHER))).isEqualTo(Coverage.of(0.6));
    assertThat(model.coverage().of(ranges.novelty(model(95), OTHER))).isEqualTo(Coverage.of(0.4));
    BoundCoverage oneDevice = new BoundCoverage(Coverage.of(0.9), Coverage.of(0.4), null);
    assertThat(oneDevice.of(ranges.novelty(model(95), OTHER))).isNull();
  }

  private static TargetModel target(BoundCoverage coverage) {
    ForestBuilder builder = new ForestBuilder();
    builder.leaf(1);
    return new TargetModel(
        Target.UTILIZATION,
        builder.build(1),
        new ResidualQuantiles(-10, 100), // times a scale of 0.03 + 0: -0.3 and 3
        new ResidualQuantiles(-2, 1),
        coverage);
  }
}
