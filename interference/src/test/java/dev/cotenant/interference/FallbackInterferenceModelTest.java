package dev.cotenant.interference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.cold.ColdStart;
import dev.cotenant.interference.partition.MeasuredSolo;
import dev.cotenant.interference.partition.UsageLines;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.solo.SoloPoint;
import dev.cotenant.interference.solo.SoloSurface;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FallbackInterferenceModelTest {
  private static final String V100 = "v100-16gb";
  private static final ProfileBook BOOK = ProfileBook.builtIn();

  private static final UsageLines LINES = new UsageLines(0.02, 1, 0.05, 2);

  private final FallbackInterferenceModel fallback = FallbackInterferenceModel.builtIn();

  @Test
  void answersPartitionsFromPublishedCoefficients() {
    Answer.Estimated answer =
        estimated(
            new Colocation(V100, List.of(profiled("vgg19", 6, 75.0), profiled("ssd", 1, 15.0))));
    assertThat(answer.model()).isEqualTo("igniter");
    assertThat(latency(answer, 0)).isCloseTo(14.90849981561943, within(1e-9));
    assertThat(answer.effects().get(0).slowdown().mean()).isGreaterThan(1);
  }

  @Test
  void joinsThreeViewsWhereSoloTimesAndUtilizationsWereMeasured() {
    MeasuredSolo solo = measured(BOOK.workload("resnet50").orElseThrow(), LINES);
    Colocation both =
        new Colocation(V100, List.of(member("a", 8, 50.0, solo), member("b", 8, 50.0, solo)));
    assertThat(estimated(both).model()).isEqualTo("igniter+gpu-lets");
    MeasuredSolo plain = measured(BOOK.workload("resnet50").orElseThrow(), null);
    Colocation without =
        new Colocation(V100, List.of(member("a", 8, 50.0, plain), member("b", 8, 50.0, plain)));
    assertThat(estimated(without).model()).isEqualTo("igniter+solo");
    Colocation three =
        new Colocation(
            V100,
            List.of(
                member("a", 8, 30.0, solo),
                member("b", 8, 30.0, solo),
                member("c", 8, 30.0, solo)));
    assertThat(estimated(three).model()).isEqualTo("igniter+solo");
  }

  @Test
  void answersWholeGpusForTrainingJobs() {
    Answer.Estimated answer =
        estimated(new Colocation("rtx-3090", List.of(training(100), training(100))));
    assertThat(answer.model()).isEqualTo("summed-utilization");
    Interval slowdown = answer.effects().getFirst().slowdown();
    assertThat(slowdown.mean()).isCloseTo(1 / 0.51, within(1e-9));
    assertThat(slowdown.lower()).isBetween(1.0, slowdown.mean());
    assertThat(slowdown.upper()).isGreaterThan(slowdown.mean());
    Answer.Estimated byGraph =
        estimated(
            new Colocation(
                "a device of no catalogue",
                List.of(
                    training(60),
                    new Colocation.Member(
                        "known",
                        8,
                        null,
                        new WorkloadProfileSource.FromGraph(
                            new GraphWork(8.2e9, 106e6, 102e6, 54), 40)))));
    assertThat(byGraph.model()).isEqualTo("summed-utilization");
    assertThat(byGraph.effects().getLast().slowdown().mean())
        .isCloseTo(1 / (1 - 0.49 / 4), within(1e-9));
    Answer.Estimated alone = estimated(new Colocation("t4", List.of(training(60))));
    assertThat(alone.effects().get(0).slowdown()).isEqualTo(new Interval(1, 1, 1));
  }

  @Test
  void answersWorkloadsThatWereNeverProfiledWithWideBounds() {
    GraphWork work = new GraphWork(8.2e9, 100e6, 100e6, 53);
    WorkloadProfile guess =
        ColdStart.profile("new", work, DeviceCatalogue.builtIn().require("v100"), 90);
    MeasuredSolo solo = ColdStart.solo(guess, List.of()).require();
    Colocation.Member cold =
        new Colocation.Member(
            "new", 4, Share.ofPercent(50), new WorkloadProfileSource.Guessed(guess, solo));
    Answer.Estimated answer =
        estimated(new Colocation(V100, List.of(cold, profiled("vgg19", 4, 50.0))));
    Interval slowdown = answer.effects().get(0).slowdown();
    assertThat(slowdown.upper()).isGreaterThan(1.15 * slowdown.mean());
    assertThat(solo.surface().relativeDeviation(4, 50)).isGreaterThan(0.5);
  }

  @Test
  void saysWhyItCannotSay() {
    assertThat(reason("h100-80gb", profiled("ssd", 1, 50.0)))
        .contains("no interference coefficients for device 'h100-80gb'");
    assertThat(reason(V100, profiled("ssd", 1, 60.0), profiled("ssd", 1, 60.0)))
        .contains("the shares add up to more than 100 %");
    assertThat(reason(V100, profiled("ssd", 1, 60.0), training(50)))
        .contains("'job' has no partition")
        .contains("is not a training job");
    assertThat(reason(V100, profiled("ssd", 1, null))).contains("has no partition");
  }

  @Test
  void refusesWhatCannotBe() {
    assertThatThrownBy(() -> training(101)).isInstanceOf(InputException.class);
    assertThatThrownBy(() -> profiled("ssd", 0, 50.0)).isInstanceOf(InputException.class);
    assertThatThrownBy(() -> new Colocation(V100, List.of())).isInstanceOf(InputException.class);
    assertThatThrownBy(() -> new FallbackInterferenceModel(List.of()))
        .isInstanceOf(InputException.class);
  }

  private String reason(String device, Colocation.Member... members) {
    return ((Answer.Unavailable) fallback.answer(new Colocation(device, List.of(members))))
        .reason();
  }

  private Answer.Estimated estimated(Colocation colocation) {
    return (Answer.Estimated) fallback.answer(colocation);
  }

  private static double latency(Answer.Estimated answer, int i) {
    Interval latency = answer.effects().get(i).latencyMillis();
    return latency == null ? Double.NaN : latency.mean();
  }

  private static Colocation.Member profiled(String name, int batch, @Nullable Double share) {
    return new Colocation.Member(
        name,
        batch,
        share == null ? null : Share.ofPercent(share),
        new WorkloadProfileSource.Profiled(BOOK.workload(name).orElseThrow(), null));
  }

  private static Colocation.Member member(String name, int batch, double share, MeasuredSolo solo) {
    return new Colocation.Member(
        name,
        batch,
        Share.ofPercent(share),
        new WorkloadProfileSource.Profiled(BOOK.workload("resnet50").orElseThrow(), solo));
  }

  private static Colocation.Member training(double utilization) {
    return new Colocation.Member("job", 32, null, new WorkloadProfileSource.Training(utilization));
  }

  private static MeasuredSolo measured(WorkloadProfile profile, @Nullable UsageLines lines) {
    List<SoloPoint> points = new ArrayList<>();
    for (int batch : new int[] {1, 2, 8, 32}) {
      for (double share : new double[] {20, 40, 50, 80}) {
        points.add(new SoloPoint(batch, share, profile.activeTime().millis(batch, share)));
      }
    }
    return new MeasuredSolo(SoloSurface.fit(points).require(), lines);
  }
}
