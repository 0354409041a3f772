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

  /** The API server keeps the field, and the scheduler the sum, where its gate is on: from 1.36. */
  @Test
  void claimsOfCapacityShareADeviceThatIsPublishedSo(Stage stage) {
    GpuNode node = GpuNode.named(stage.names().node("divided"));
    stage.nodes().set(List.of(node));
    Devices devices = new Devices(stage.admin(), stage.names().dividing());
    devices.publishDivisible(node);
    try {
      stage.abilities().require(devices.isDivisible(node), "and DRAConsumableCapacity is off");
      Pods pods = stage.pods(stage.names().dividing());
      for (String name : List.of("first", "second")) {
        pods.create(
            PodManifest.named(name).withoutGpu().sharing().with("resource-claim", "of-" + name));
      }
      pods.awaitRunning("first");
      pods.awaitRunning("second");

      for (String name : List.of("first", "second")) {
        JsonNode claim = devices.get("of-" + name);
        String requested =
            claim.at("/spec/devices/requests/0/exactly/capacity/requests/memory").asText();
        assertThat(requested).matches("\\d+Mi|\\d+Gi");
        assertThat(claim.at("/status/allocation/devices/results/0/consumedCapacity").toString())
            .contains("memory");
      }
    } finally {
      devices.delete("of-second", node);
      devices.delete("of-first", node);
    }
  }

  /**
   * Resnet18 needs more than 4.75 GiB in 99 % of cases. The scheduler counts partitions: from 1.36.
   */
  @Test
  void claimsOfMigDevicesGetTheSmallestThatHolds(Stage stage) {
    GpuNode node = GpuNode.named(stage.names().node("sliced"));
    stage.nodes().set(List.of(node));
    Devices devices = new Devices(stage.admin(), stage.names().slicing());
    devices.publishPartitions(node, "NVIDIA A100-SXM4-40GB");
    try {
      Pods pods = stage.pods(stage.names().slicing());
      List<String> names = List.of("first", "second", "third");
      for (String name : names) {
        pods.create(
            PodManifest.named(name).withoutGpu().sharing().with("resource-claim", "mig-" + name));
      }
      Eventually.holds(
          "two run, and the third waits for a device",
          () ->
              names.stream().filter(pods::isRunning).count() == 2
                  && names.stream().allMatch(pods::isUngated));
      for (String name : names) {
        assertThat(devices.get("mig-" + name).at("/spec/devices/requests/0/exactly").toString())
            .contains("mig.nvidia.com", "profile == '2g.10gb'");
      }
      String running = names.stream().filter(pods::isRunning).findFirst().orElseThrow();
      assertThat(
              devices
                  .get("mig-" + running)
                  .at("/status/allocation/devices/results/0/device")
                  .asText())
          .isIn("gpu-0-mig-1", "gpu-0-mig-2");

      pods.delete(running);
      Eventually.holds(
          "the third gets its device", () -> names.stream().filter(pods::isRunning).count() == 2);
    } finally {
      List.of("first", "second", "third").forEach(name -> devices.delete("mig-" + name, node));
    }
  }

  @Test
  void aGrantedPodOfLowPriorityIsEvictedForOneOfHigh(Stage stage) {
    Pods pods = withALowPodOnTheOnlyGpu(stage);

    pods.create(PodManifest.named("urgent").ofPriority(stage.names().priorityClass()));

    pods.awaitRunning("urgent");
    assertThat(pods.find("low")).isEmpty();
    assertThat(pods.gpu("urgent")).isEqualTo(stage.names().gpu(pods.node("urgent")));
  }

  @Test
  void aPodDisruptionBudgetProtectsAGrantedPod(Stage stage) {
    Pods pods = withALowPodOnTheOnlyGpu(stage);
    String budgets = "/apis/policy/v1/namespaces/" + stage.names().evicting();
    budgets += "/poddisruptionbudgets";
    stage
        .admin()
        .create(
            budgets,
            """
            {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "all"},
             "spec": {"minAvailable": 1, "selector": {"matchLabels": {"role": "low"}}}}
            """)
        .required();

    pods.create(PodManifest.named("urgent").ofPriority(stage.names().priorityClass()));

    Eventually.holds(
        "the eviction is refused",
        () -> stage.admin().list(pods.events()).toString().contains("PreemptionBlocked"));
    assertThat(pods.isRunning("low")).isTrue();
    assertThat(pods.isUngated("urgent")).isFalse();
    stage.admin().delete(budgets + "/all");
  }

  private static Pods withALowPodOnTheOnlyGpu(Stage stage) {
    stage.createPriorityClass();
    stage.nodes().set(List.of(GpuNode.named(stage.names().node("preempted"))));
    Pods pods = stage.pods(stage.names().evicting());
    pods.create(PodManifest.named("low").labelled("role", "low"));
    pods.awaitRunning("low");
    return pods;
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
