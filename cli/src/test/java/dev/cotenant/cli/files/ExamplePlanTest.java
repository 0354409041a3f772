package dev.cotenant.cli.files;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ServedWorkload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The example plan says the same as the shipped profiles of the paper's twelve workloads. */
class ExamplePlanTest {
  private static final Path PLAN =
      Path.of(System.getProperty("cotenant.root"), "examples/plans/twelve-workloads.yaml");

  @Test
  void holdsTheTwelveWorkloadsOfThePaper() {
    JsonNode plan = YamlFile.read(PLAN, "a plan file");
    List<ServedWorkload> served = new ArrayList<>();
    plan.path("workloads")
        .forEach(w ->
            served.add(
                new ServedWorkload(
                    w.path("name").asText(),
                    w.path("profile").asText(),
                    w.path("slo_latency_ms").asDouble(),
                    w.path("request_rate_per_second").asDouble())));
    assertThat(served).isEqualTo(ProfileBook.twelveWorkloads().served());
    assertThat(served)
        .allSatisfy(w -> assertThat(ProfileBook.builtIn().workload(w.profile())).isPresent());
  }

  @Test
  void namesADeviceWithCoefficients() {
    JsonNode plan = YamlFile.read(PLAN, "a plan file");
    String id = plan.path("devices").path(0).path("id").asText();
    String device = DeviceCatalogue.builtIn().require(id).id().value();
    assertThat(ProfileBook.builtIn().device(device)).isPresent();
  }
}
