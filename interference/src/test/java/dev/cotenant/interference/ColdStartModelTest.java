package dev.cotenant.interference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.ProfileBook;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ColdStartModelTest {
  private static final GraphWork RESNET50 = new GraphWork(8.2e9, 106e6, 102e6, 54);

  private final InterferenceModel model = FallbackInterferenceModel.builtIn();

  private static Colocation.Member member(
      String name, GraphWork work, double utilization, double share) {
    return new Colocation.Member(
        name, 32, Share.ofPercent(share), new WorkloadProfileSource.FromGraph(work, utilization));
  }

  private Answer.Estimated estimated(String device, Colocation.Member... members) {
    return (Answer.Estimated) model.answer(new Colocation(device, List.of(members)));
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
    Interval latency = Objects.requireNonNull(answer.effects().getFirst().latencyMillis());
    assertThat(latency.upper()).isGreaterThan(1.5 * latency.mean());
  }

  @Test
  void saysWhatIsMissing() {
    assertThat(reason("h100-80gb", member("a", RESNET50, 90, 50.0)))
        .contains("no interference coefficients for device 'h100-80gb'");
    assertThat(reason("abacus", member("a", RESNET50, 90, 50.0)))
        .contains("device 'abacus' is not in the catalogue");
  }

  private String reason(String device, Colocation.Member... members) {
    return ((Answer.Unavailable) model.answer(new Colocation(device, List.of(members)))).reason();
  }
}
