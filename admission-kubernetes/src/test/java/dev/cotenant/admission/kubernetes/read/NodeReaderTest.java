package dev.cotenant.admission.kubernetes.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.cluster.ResourceAmounts;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.domain.InputException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeReaderTest {
  private final NodeReader reader = new NodeReader();

  @Test
  void readsLabelsTaintsAndCordons() {
    WatchedNode node =
        reader.read(
            Manifests.json(
                """
                {"metadata": {"name": "n1", "labels": {"nvidia.com/gpu.product": "Tesla-T4"}},
                 "spec": {"unschedulable": true,
                          "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]},
                 "status": {"allocatable": {"nvidia.com/gpu": "4"}}}
                """));

    assertThat(node.name()).isEqualTo("n1");
    assertThat(node.labels()).containsEntry("nvidia.com/gpu.product", "Tesla-T4");
    assertThat(node.schedulable()).isFalse();
    assertThat(node.taints()).containsExactly(new WatchedNode.Taint("gpu", "yes", "NoSchedule"));
    assertThat(node.gpus()).isEqualTo(4);
  }

  // Time-slicing with 4 replicas offers each of 2 GPUs 4 times; renamed as .shared or not.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                    | {}                                                "
            + "   | 0",
        "{\"nvidia.com/gpu\": \"8\"}           | {\"nvidia.com/gpu.count\": \"2\"}                 "
            + "   | 2",
        "{\"nvidia.com/gpu\": \"8\"}           | {\"nvidia.com/gpu.replicas\": \"4\"}              "
            + "   | 2",
        "{\"nvidia.com/gpu.shared\": \"8\"}    | {\"nvidia.com/gpu.replicas\": \"4\"}              "
            + "   | 2",
        "{\"nvidia.com/gpu\": \"0\"}           | {\"nvidia.com/gpu.count\": \"2\"}                 "
            + "   | 0",
        "{}                                    | {\"nvidia.com/gpu.count\": \"2\"}                 "
            + "   | 2",
        "{\"aliyun.com/gpu-count\": \"3\"}     | {}                                                "
            + "   | 3",
        "{\"nvidia.com/gpu\": \"many\"}        | {}                                                "
            + "   | 0",
        "{\"nvidia.com/gpu\": \"-1\"}          | {\"nvidia.com/gpu.count\": \"-7\"}                "
            + "   | 0",
        "{\"nvidia.com/gpu\": \"1e99\"}        | {\"nvidia.com/gpu.replicas\": \"0\"}              "
            + "   | 1024"
      })
  void countsGpusNotOffers(String allocatable, String labels, int gpus) {
    String node =
        "{\"metadata\": {\"name\": \"n\", \"labels\": %s}, \"status\": {\"allocatable\": %s}}"
            .formatted(labels, allocatable);

    assertThat(reader.read(Manifests.json(node)).gpus()).isEqualTo(gpus);
  }

  @Test
  void countsTheDevicesThatHamiLists() {
    String node =
        """
        {"metadata": {"name": "n", "annotations": {"hami.io/node-nvidia-register":
           "GPU-1a-2,10,15360,100,NVIDIA-Tesla T4,0,true:GPU-3b-4,10,15360,100,NVIDIA-Tesla T4,0,true:"}},
         "status": {"allocatable": {"nvidia.com/gpu": "20"}}}
        """;

    assertThat(reader.read(Manifests.json(node)).gpus()).isEqualTo(2);
  }

  @Test
  void aNodeWithoutNameIsNone() {
    assertThatThrownBy(() -> reader.read(Manifests.json("{\"metadata\": {}}")))
        .isInstanceOf(InputException.class);
  }

  @Test
  void readsAllocatableResourcesAsKubeSchedulerCountsThem() {
    ObjectNode node = Manifests.node("n1", 2);
    node.withObject("/status/allocatable")
        .put("cpu", "7910m")
        .put("memory", "32Gi")
        .put("pods", "110")
        .put("negative", "-1")
        .put("odd", "many");

    assertThat(new NodeReader().read(node).allocatable())
        .isEqualTo(
            ResourceAmounts.of(
                Map.of("cpu", 7_910L, "memory", 32L << 30, "pods", 110L, "nvidia.com/gpu", 2L)));
  }
}
