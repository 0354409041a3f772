package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Node and GPU are chosen by the gate; the stock scheduler binds. */
class GatePlacementIT extends SchedulingScenarios {
  @Override
  String namespace(Stage stage) {
    return stage.names().team();
  }

  @Test
  void podsThatNameOneClaimShareItsGpuAsThePolicySays(Stage stage) {
    GpuNode node = GpuNode.named(stage.names().node("claimed"));
    stage.nodes().set(List.of(node));
    Devices devices = new Devices(stage.admin(), stage.names().claiming());
    devices.publish(node);
    try {
      Pods pods = stage.pods(stage.names().claiming());
      for (String name : List.of("first", "second")) {
        pods.create(
            PodManifest.named(name).withoutGpu().sharing().with("resource-claim", "shared-gpu"));
      }
      pods.awaitRunning("first");
      pods.awaitRunning("second");

      JsonNode claim = devices.get("shared-gpu");
      JsonNode config = claim.at("/spec/devices/config/0/opaque");
      assertThat(config.path("driver").asText()).isEqualTo("gpu.nvidia.com");
      assertThat(config.at("/parameters/sharing/strategy").asText()).isEqualTo("MPS");
      assertThat(config.at("/parameters/sharing/mpsConfig/defaultPinnedDeviceMemoryLimit").asText())
          .isEqualTo("10240Mi");
      assertThat(claim.at("/status/allocation/devices/config").toString()).contains("MPS");
      assertThat(claim.at("/status/reservedFor")).hasSize(2);
    } finally {
      devices.delete("shared-gpu", node);
    }
  }

  /** The gate does not read namespace selectors of affinity terms. */
  @Test
  void aPodWhoseGrantTheSchedulerRefusesIsMadeAgainElsewhere(Stage stage) {
    List<String> nodes = List.of(stage.names().node("refused"), stage.names().node("suitable"));
    stage.nodes().set(nodes.stream().map(name -> GpuNode.named(name).with(2)).toList());
    Pods pods = stage.pods();
    pods.create(PodManifest.named("keeper").labelled("role", "keeper").onNode(nodes.getFirst()));
    pods.awaitRunning("keeper");
    PodManifest averse =
        PodManifest.named("averse")
            .specified(
                "affinity",
                """
                {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                  {"topologyKey": "kubernetes.io/hostname", "namespaceSelector": {},
                   "labelSelector": {"matchLabels": {"role": "keeper"}}}]}}
                """);
    String first = stage.workloads().deploy("averse", 1, averse).getFirst();

    Eventually.holds("a replica runs", () -> pods.running(stage.workloads().podsOf("averse")) == 1);
    String last = stage.workloads().podsOf("averse").getFirst();
    assertThat(last).isNotEqualTo(first);
    assertThat(pods.node(last)).isEqualTo(nodes.getLast());
  }
}
