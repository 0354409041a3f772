package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubeletAdmissionTest {
  private static final GpuNode NODE =
      GpuNode.named("n").with(2).offeredEach(2).inZone("x").allocatable("cpu", "4");

  private final KubeletAdmission kubelet = new KubeletAdmission(NODE);

  private static PodBuilder pod(String uid, Map<String, String> requests) {
    return new PodBuilder()
        .withNewMetadata()
        .withUid(uid)
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("main")
        .withNewResources()
        .withRequests(quantities(requests))
        .endResources()
        .endContainer()
        .endSpec();
  }

  private static Map<String, Quantity> quantities(Map<String, String> amounts) {
    return amounts.entrySet().stream()
        .collect(
            java.util.stream.Collectors.toMap(
                Map.Entry::getKey, amount -> new Quantity(amount.getValue())));
  }

  private static Pod gpus(String uid, int number) {
    return pod(uid, Map.of(GpuNode.GPU, Integer.toString(number))).build();
  }

  private Optional<String> reason(Pod pod) {
    return kubelet.admit(pod).map(KubeletAdmission.Rejection::reason);
  }

  @Test
  void rejectsTheGpuThatTheDevicePluginDoesNotOffer() {
    assertThat(reason(gpus("a", 3))).isEmpty();
    assertThat(reason(gpus("b", 2))).contains("OutOfnvidia.com/gpu");
    assertThat(reason(gpus("c", 1))).isEmpty();

    kubelet.release("a");
    assertThat(reason(gpus("b", 3))).isEmpty();
  }

  @Test
  void admitsAPodOnce() {
    Pod pod = gpus("a", 4);
    assertThat(reason(pod)).isEmpty();
    assertThat(reason(pod)).isEmpty();
    assertThat(kubelet.hasAdmitted("a")).isTrue();
    assertThat(reason(gpus("b", 1))).contains("OutOfnvidia.com/gpu");
    assertThat(kubelet.hasAdmitted("b")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"cpu,4001m", "memory,257Gi", "example.com/fpga,1"})
  void rejectsForEveryResource(String resource, String amount) {
    assertThat(reason(pod("a", Map.of(resource, amount)).build())).contains("OutOf" + resource);
  }

  @Test
  void countsPodsThatRequestNothing() {
    KubeletAdmission small = new KubeletAdmission(NODE.allocatable("pods", "1"));
    assertThat(small.admit(pod("a", Map.of()).build())).isEmpty();
    assertThat(small.admit(pod("b", Map.of()).build()))
        .hasValueSatisfying(rejection -> assertThat(rejection.reason()).isEqualTo("OutOfpods"));
  }

  @Test
  void countsTheLargestInitContainerBesideTheSidecarsBeforeIt() {
    Pod pod =
        pod("a", Map.of("cpu", "1"))
            .editSpec()
            .addNewInitContainer()
            .withName("sidecar")
            .withRestartPolicy("Always")
            .withNewResources()
            .withRequests(quantities(Map.of("cpu", "500m")))
            .endResources()
            .endInitContainer()
            .addNewInitContainer()
            .withName("init")
            .withNewResources()
            .withRequests(quantities(Map.of("cpu", "3")))
            .endResources()
            .endInitContainer()
            .withOverhead(quantities(Map.of("cpu", "250m")))
            .endSpec()
            .build();

    assertThat(PodRequests.of(pod).get("cpu")).isEqualByComparingTo("3.75");
  }

  @ParameterizedTest
  @CsvSource({
    "topology.kubernetes.io/zone,In,x,true",
    "topology.kubernetes.io/zone,In,y,false",
    "topology.kubernetes.io/zone,NotIn,x,false",
    "absent,NotIn,x,true",
    "absent,Exists,,false",
    "absent,DoesNotExist,,true",
    "nvidia.com/gpu.count,Gt,1,true",
    "nvidia.com/gpu.count,Lt,2,false"
  })
  void honoursRequiredNodeAffinity(String key, String operator, String value, boolean admitted) {
    Pod pod =
        pod("a", Map.of())
            .editSpec()
            .withNewAffinity()
            .withNewNodeAffinity()
            .withNewRequiredDuringSchedulingIgnoredDuringExecution()
            .addNewNodeSelectorTerm()
            .addNewMatchExpression()
            .withKey(key)
            .withOperator(operator)
            .addToValues(value == null ? new String[0] : new String[] {value})
            .endMatchExpression()
            .endNodeSelectorTerm()
            .endRequiredDuringSchedulingIgnoredDuringExecution()
            .endNodeAffinity()
            .endAffinity()
            .endSpec()
            .build();

    assertThat(reason(pod)).isEqualTo(admitted ? Optional.empty() : Optional.of("NodeAffinity"));
  }

  @Test
  void honoursTheNodeSelector() {
    Map<String, String> here = Map.of("kubernetes.io/hostname", "n");
    Map<String, String> there = Map.of("kubernetes.io/hostname", "m");
    assertThat(reason(pod("a", Map.of()).editSpec().withNodeSelector(here).endSpec().build()))
        .isEmpty();
    assertThat(reason(pod("b", Map.of()).editSpec().withNodeSelector(there).endSpec().build()))
        .contains("NodeAffinity");
  }
}
