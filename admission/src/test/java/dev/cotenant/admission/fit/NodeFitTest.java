package dev.cotenant.admission.fit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.Footprint.HostPort;
import dev.cotenant.admission.cluster.PodTopology;
import dev.cotenant.admission.cluster.ResourceAmounts;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeFitTest {
  private static final ResourceAmounts NODE =
      ResourceAmounts.of(
          Map.of("cpu", 4_000L, "memory", 16 * MemorySize.GIB, "pods", 3L, "nvidia.com/gpu", 1L));

  private final NodeLoad load = new NodeLoad();

  private static Footprint requesting(Map<String, Long> requests) {
    return new Footprint(
        ResourceAmounts.of(requests), List.of(), Map.of(), PodTopology.NONE, Set.of());
  }

  private static Footprint listening(String address, String protocol, int port) {
    return new Footprint(
        ResourceAmounts.NONE,
        List.of(new HostPort(address, protocol, port)),
        Map.of(),
        PodTopology.NONE,
        Set.of());
  }

  @Test
  void aRequestThatFillsTheNodeFits() {
    load.add("a", requesting(Map.of("cpu", 3_500L)));

    assertThat(NodeFit.whyNot(requesting(Map.of("cpu", 500L)), NODE, load)).isEmpty();
    assertThat(NodeFit.whyNot(requesting(Map.of("cpu", 501L)), NODE, load))
        .hasValue("Insufficient cpu: requests 0.501, free 0.5 of 4");
  }

  @Test
  void memoryIsInWords() {
    load.add("a", requesting(Map.of("memory", 12 * MemorySize.GIB)));

    assertThat(NodeFit.whyNot(requesting(Map.of("memory", 5 * MemorySize.GIB)), NODE, load))
        .hasValue("Insufficient memory: requests 5 GiB, free 4 GiB of 16 GiB");
  }

  @Test
  void aRequestOfZeroFitsOnAnOverfullNode() {
    load.add("a", requesting(Map.of("cpu", 9_000L)));

    assertThat(NodeFit.whyNot(requesting(Map.of("cpu", 0L)), NODE, load)).isEmpty();
  }

  @Test
  void theDeviceOfTheStockPluginIsTaken() {
    load.add("first", requesting(Map.of("nvidia.com/gpu", 1L)));

    assertThat(NodeFit.whyNot(requesting(Map.of("nvidia.com/gpu", 1L)), NODE, load))
        .hasValue("Insufficient nvidia.com/gpu: requests 1, free 0 of 1");
  }

  @Test
  void anExtendedResourceThatANodeLacksIsZero() {
    assertThat(NodeFit.whyNot(requesting(Map.of("example.com/fpga", 1L)), NODE, load))
        .hasValue("Insufficient example.com/fpga: requests 1, free 0 of 0");
  }

  @ParameterizedTest
  @CsvSource({"nvidia.com/gpumem", "nvidia.com/gpucores", "ephemeral-storage"})
  void whatOthersCountExcludesNoNodeThatDoesNotOfferIt(String resource) {
    assertThat(NodeFit.whyNot(requesting(Map.of(resource, 1_000L)), NODE, load)).isEmpty();
  }

  @Test
  void aNodeWithoutReportedResourcesIsNotExcludedForThem() {
    Footprint pod = requesting(Map.of("cpu", 99_000L, "nvidia.com/gpu", 8L));

    assertThat(NodeFit.whyNot(pod, ResourceAmounts.NONE, load)).isEmpty();
  }

  @Test
  void podsCountOneByOne() {
    load.add("a", Footprint.NONE);
    load.add("b", Footprint.NONE);
    assertThat(NodeFit.whyNot(Footprint.NONE, NODE, load)).isEmpty();

    load.add("c", Footprint.NONE);
    assertThat(NodeFit.whyNot(Footprint.NONE, NODE, load)).hasValue("Too many pods: 3 of 3");
  }

  @Test
  void aRemovedPodFreesAllItTook() {
    Footprint pod =
        new Footprint(
            ResourceAmounts.of(Map.of("cpu", 4_000L)),
            List.of(new HostPort("0.0.0.0", "TCP", 80)),
            Map.of(),
            PodTopology.NONE,
            Set.of());
    load.add("a", pod);
    load.remove("a", pod);

    assertThat(NodeFit.whyNot(pod, NODE, load)).isEmpty();
    assertThat(load.pods()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, TCP, 80, true",
    "10.0.0.1, TCP, 80, true",
    "10.0.0.2, TCP, 80, false",
    "10.0.0.1, UDP, 80, false",
    "10.0.0.1, TCP, 81, false"
  })
  void portsConflictByAddressProtocolAndNumber(
      String address, String protocol, int port, boolean conflict) {
    load.add("a", listening("10.0.0.1", "TCP", 80));

    assertThat(NodeFit.whyNot(listening(address, protocol, port), NODE, load).isPresent())
        .isEqualTo(conflict);
  }

  @Test
  void sumsOfHugeRequestsDoNotOverflow() {
    ResourceAmounts most = ResourceAmounts.of(Map.of("memory", Long.MAX_VALUE));

    assertThat(most.plus(most).of("memory")).isEqualTo(Long.MAX_VALUE);
  }
}
