package dev.cotenant.interference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.ProfileBook;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ColdStartModelTest {
  private static final GraphWork RESNET50 = new GraphWork(8.2e9, 106e6, 102e6, 54);
  private static final GraphWork SMALL = new GraphWork(0.6e9, 20e6, 14e6, 53);

  private final InterferenceModel model = FallbackInterferenceModel.builtIn();

  private static Colocation.Member member(
      String name, GraphWork work, double utilization, @Nullable Double share) {
    return new Colocation.Member(
        name,
        32,
        share == null ? null : Share.ofPercent(share),
        new WorkloadProfileSource.FromGraph(work, utilization));
  }

  private Answer.Estimated estimated(String device, Colocation.Member... members) {
    return (Answer.Estimated) model.answer(new Colocation(device, List.of(members)));
  }

  private static Colocation.Member training(double utilization, @Nullable Double bandwidth) {
    return new Colocation.Member(
        "known", 32, null, new WorkloadProfileSource.Training(utilization, bandwidth));
  }

  @Test
  void answersAboutJobsOnAWholeGpuFromTheirGraphs() {
    Answer.Estimated answer =
        estimated("rtx-3090", member("a", RESNET50, 90, null), member("b", SMALL, 40, null));
    assertThat(answer.model()).isEqualTo("cold-start/training-pairs");
    Answer.Usage usage = Objects.requireNonNull(answer.effects().getFirst().usage());
    Double bandwidth = usage.bandwidthPercent();
    assertThat(bandwidth).isBetween(20.0, 90.0);
    // What the formula says of these bandwidths, with wider bounds.
    Answer.Usage other = Objects.requireNonNull(answer.effects().getLast().usage());
    Answer.Estimated known =
        estimated("rtx-3090", training(90, bandwidth), training(40, other.bandwidthPercent()));
    for (int i = 0; i < 2; i++) {
      Interval guessed = answer.effects().get(i).slowdown();
      Interval measured = known.effects().get(i).slowdown();
      assertThat(guessed.mean()).isCloseTo(measured.mean(), within(1e-12));
      assertThat(guessed.upper()).isGreaterThanOrEqualTo(measured.upper());
    }
    assertThat(answer.effects().getFirst().slowdown().upper())
        .isGreaterThan(known.effects().getFirst().slowdown().upper());
  }

  @Test
  void usesWhatIsKnownOfNeighbours() {
    Answer.Estimated answer =
        estimated("rtx-3090", member("a", RESNET50, 90, null), training(70, 60.0));
    assertThat(answer.model()).isEqualTo("cold-start/training-pairs");
    assertThat(answer.effects().getLast().usage()).isNull();
    Answer.Estimated without =
        estimated("rtx-3090", member("a", RESNET50, 90, null), training(70, null));
    assertThat(without.model()).isEqualTo("cold-start/summed-utilization");
  }

  @Test
  void answersAboutPartitionsWhereTheDeviceIsProfiled() {
    Colocation.Member vgg =
        new Colocation.Member(
            "vgg19",
            4,
            Share.ofPercent(50),
            new WorkloadProfileSource.Profiled(
                ProfileBook.builtIn().workload("vgg19").orElseThrow(), null));
    Answer.Estimated answer = estimated("v100-16gb", member("a", RESNET50, 90, 50.0), vgg);
    assertThat(answer.model()).startsWith("cold-start/igniter");
    Answer.Serving serving = Objects.requireNonNull(answer.effects().getFirst().serving());
    assertThat(serving.latencyMillis().upper()).isGreaterThan(1.5 * serving.latencyMillis().mean());
  }

  @Test
  void saysWhatIsMissing() {
    assertThat(reason("h100-80gb", member("a", RESNET50, 90, 50.0)))
        .contains("no interference coefficients for device 'h100-80gb'");
    assertThat(reason("abacus", member("a", RESNET50, 90, null)))
        .contains("device 'abacus' is not in the catalogue");
  }

  @Test
  void keepsBoundsAroundTheMeanWhateverTheWork() {
    Random random = new Random(11);
    for (int i = 0; i < 500; i++) {
      Answer.Estimated answer =
          estimated(
              "a100-40gb",
              member("a", randomWork(random), 100 * random.nextDouble(), null),
              member("b", randomWork(random), 100 * random.nextDouble(), null));
      for (Answer.Effect effect : answer.effects()) {
        assertThat(effect.slowdown().mean()).isFinite().isGreaterThanOrEqualTo(1);
        assertThat(effect.slowdown().lower()).isBetween(1.0, effect.slowdown().mean());
      }
    }
  }

  private static GraphWork randomWork(Random random) {
    return new GraphWork(
        Math.exp(30 * random.nextDouble()),
        Math.exp(22 * random.nextDouble()),
        Math.exp(22 * random.nextDouble()),
        random.nextInt(300));
  }

  private String reason(String device, Colocation.Member... members) {
    return ((Answer.Unavailable) model.answer(new Colocation(device, List.of(members)))).reason();
  }
}
