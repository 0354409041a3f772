package dev.cotenant.interference.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileFileTest {
  @Test
  void shipsTheAuthorsCoefficientsVerbatim() {
    WorkloadProfile alexnet = ProfileBook.builtIn().workload("alexnet").orElseThrow();
    assertThat(alexnet.activeTime())
        .isEqualTo(
            new WorkloadProfile.ActiveTime(
                0.0041535110364039765,
                8.711584427319755,
                23.736068893391828,
                0.05552046527586755,
                0.3460109946044254));
    assertThat(alexnet.cacheSensitivity()).isEqualTo(0.002376375061810778);
    DeviceProfile v100 = ProfileBook.builtIn().requireDevice("v100-16gb");
    assertThat(v100.frequencySlope()).isEqualTo(-1.0254136369862015);
    assertThat(v100.schedulingIntercept()).isEqualTo(-0.009022425728922867);
    assertThat(ProfileBook.builtIn().workloads())
        .extracting(WorkloadProfile::name)
        .containsExactly("alexnet", "resnet50", "vgg19", "ssd");
  }

  @Test
  void shipsTheTwelveWorkloads() {
    assertThat(ProfileBook.twelveWorkloads().served())
        .hasSize(12)
        .contains(new ServedWorkload("W12", "ssd", 55, 300))
        .allSatisfy(w -> assertThat(ProfileBook.builtIn().workload(w.profile())).isPresent());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "serve W1 profile=a slo_latency_ms=ten request_rate_per_second=1 | f:2: slo_latency_ms"
            + " 'ten'",
        "serve W1 profile=a slo_latency_ms=-10 request_rate_per_second=1 | f:2: sloMillis must be",
        "serve W1 profile=a slo_latency_ms=NaN request_rate_per_second=1 | f:2: sloMillis must be",
        "serve W1 profile=a slo_latency_ms=10 | f:2: key request_rate_per_second is missing",
        "serve W1 profile=a slo_latency_ms=1 request_rate_per_second=1 x=1 | f:2: unknown key x",
        "serve | f:2: a name must follow",
        "gpu x a=1 | f:2: 'gpu' is not device",
        "serve W1 profile | f:2: 'profile' is not key=value",
      })
  void namesFileAndLine(String line, String message) {
    assertThatThrownBy(() -> ProfileFile.parse("f", "cotenant-profiles 1\n" + line))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void refusesOtherFilesAndMissingOnes() {
    assertThatThrownBy(() -> ProfileFile.parse("f", "{}"))
        .hasMessage("f:1: the first line must be 'cotenant-profiles 1'.");
    assertThatThrownBy(() -> ProfileFile.read(Path.of("no-such.profiles")))
        .hasMessage("no-such.profiles does not exist.");
    assertThatThrownBy(() -> ProfileBook.builtIn().requireDevice("h100"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("'h100'");
  }
}
