package dev.cotenant.admission.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.gate.FakeGpus;
import dev.cotenant.admission.gate.GateBench;
import dev.cotenant.admission.gate.StoredPod;
import dev.cotenant.admission.ledger.Occupant;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.UnlistedProduct;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InventoryTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
  private static final Map<String, String> PRODUCT = Map.of("nvidia.com/gpu.product", "A100");

  private final Inventory inventory =
      new Inventory(name ->
          name.equals("A100") ? DeviceCatalogue.builtIn().find("a100-40gb") : Optional.empty());

  private void measure(String node, String... uuids) {
    inventory.refresh(new FakeGpus(Map.of(node, List.of(uuids))).measure(NOW, List.of(), Set.of()));
  }

  private static WatchedNode node(String name, int gpus, Map<String, String> labels) {
    return new WatchedNode(name, labels, List.of(), true, gpus);
  }

  private List<String> uuids() {
    return inventory.base().gpus().stream().map(GpuSnapshot::uuid).toList();
  }

  @Test
  void hasGpusOnlyOfNodesThatAreThere() {
    measure("n1", "GPU-a");
    assertThat(uuids()).isEmpty();

    inventory.put(node("n1", 1, PRODUCT));
    assertThat(uuids()).containsExactly("GPU-a");

    inventory.remove("n1");
    assertThat(uuids()).isEmpty();
  }

  @Test
  void standsInForGpusThatAreOfferedAndNotMeasured() {
    measure("n1", "GPU-a");
    inventory.put(node("n1", 3, PRODUCT));

    assertThat(uuids()).containsExactly("GPU-a", "n1/gpu-0", "n1/gpu-1");
    assertThat(inventory.base().gpus().get(1).memory())
        .isEqualTo(new MemoryObservation.Unmeasured());
    assertThat(Inventory.isPlaceholder("n1/gpu-0")).isTrue();
    assertThat(Inventory.isPlaceholder("GPU-a")).isFalse();
  }

  @Test
  void countsWhatItCannotStandInFor() {
    inventory.put(node("n1", 2, Map.of()));

    assertThat(uuids()).isEmpty();
    assertThat(inventory.unrepresented()).isEqualTo(2);
  }

  @Test
  void standsInForGpusOfAnUnlistedProduct() {
    String product = "NVIDIA-TITAN-RTX";
    inventory.put(
        node("n1", 2, Map.of("nvidia.com/gpu.product", product, "nvidia.com/gpu.memory", "23028")));

    assertThat(uuids()).containsExactly("n1/gpu-0", "n1/gpu-1");
    GpuSnapshot gpu = inventory.base().gpus().getFirst();
    assertThat(gpu.device()).isEqualTo(new UnlistedProduct(product, MemorySize.ofMiB(23_028)));
    assertThat(gpu.capacity()).isEqualTo(MemorySize.ofMiB(23_028));
    assertThat(inventory.unrepresented()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-5", "lots", "99999999999"})
  void countsUnlistedGpusWithoutReadableMemory(String memory) {
    inventory.put(
        node("n1", 2, Map.of("nvidia.com/gpu.product", "TITAN", "nvidia.com/gpu.memory", memory)));

    assertThat(uuids()).isEmpty();
    assertThat(inventory.unrepresented()).isEqualTo(2);
  }

  @Test
  void remembersGpusWhoseMeasurementsStopped() {
    inventory.put(node("n1", 2, PRODUCT));
    measure("n1", "GPU-a", "GPU-b");
    assertThat(uuids()).containsExactly("GPU-a", "GPU-b");

    measure("n1", "GPU-b");

    assertThat(uuids()).containsExactly("GPU-b", "GPU-a");
    assertThat(inventory.base().find("GPU-a").orElseThrow().memory())
        .isEqualTo(new MemoryObservation.Unmeasured());
  }

  @Test
  void forgetsAGpuThatAnotherTookThePlaceOf() {
    inventory.put(node("n1", 1, PRODUCT));
    measure("n1", "GPU-old");
    assertThat(uuids()).containsExactly("GPU-old");

    measure("n1", "GPU-new");

    assertThat(uuids()).containsExactly("GPU-new");
  }

  @Test
  void namesUnmeasuredGpusAsTheyWereGranted() {
    inventory.put(node("n1", 2, PRODUCT));
    inventory.name("n1", "GPU-granted");

    assertThat(uuids()).containsExactly("GPU-granted", "n1/gpu-0");
  }

  @Test
  void knowsGpusAgainOnceTheCatalogueListsTheirProduct() {
    Map<String, Device> listed = new HashMap<>();
    Inventory growing = new Inventory(name -> Optional.ofNullable(listed.get(name)));
    UnlistedProduct titan = new UnlistedProduct("TITAN", MemorySize.ofGiB(23));
    GpuSnapshot measured =
        new GpuSnapshot(
            "GPU-a",
            "n1",
            titan,
            titan.memory(),
            new Tenancy.Shared(List.of()),
            new MemoryObservation.Unmeasured());
    ClusterSnapshot reading = new ClusterSnapshot(NOW, List.of(measured));
    ClusterSnapshot nothing = new ClusterSnapshot(NOW, List.of());
    growing.put(node("n1", 1, Map.of("nvidia.com/gpu.product", "TITAN")));
    growing.refresh(reading);
    assertThat(growing.base().gpus().getFirst().device()).isEqualTo(titan);

    Device device = DeviceCatalogue.builtIn().require("a100-40gb");
    listed.put("TITAN", device);
    growing.refresh(nothing);

    assertThat(growing.base().find("GPU-a").orElseThrow().device()).isEqualTo(device);
  }

  @Test
  void givesTheSameClusterUntilSomethingChanges() {
    inventory.put(node("n1", 1, PRODUCT));
    measure("n1", "GPU-a");
    var before = inventory.base();

    assertThat(inventory.put(node("n1", 1, PRODUCT))).isFalse();
    inventory.put(new WatchedNode("n1", PRODUCT, List.of(), false, 1)); // cordoned

    assertThat(inventory.base()).isSameAs(before);
  }

  @Test
  void marksAsManyGpusAsAreTakenTheMostUsedFirst() {
    // What uses GPU-b shows there, so the pod of which only the number is known is taken to be it.
    GateBench bench = new GateBench(3);
    bench.gpus.nodes().forEach(inventory::put);
    StoredPod user = bench.pod("user", "vgg19", 10, 1);
    user.annotations.put("cotenant.dev/assigned-gpu", "GPU-1b");
    user.annotations.put("cotenant.dev/predicted-memory", "4000Mi");
    user.startedAt = NOW;
    inventory.refresh(bench.gpus.measure(NOW, List.of(user), Set.of()));
    Occupancy occupancy = new Occupancy(inventory);

    occupancy.put("uid-1", "n1", "team-b/x", 1);
    assertThat(holders(occupancy)).containsExactly("-", "team-b/x", "-");

    occupancy.put(new Occupant("uid-2", List.of("GPU-1b"), new Occupant.Alone("team-a/y")), "n1");
    assertThat(holders(occupancy)).containsExactly("team-b/x", "team-a/y", "-");

    occupancy.remove("uid-1");
    assertThat(holders(occupancy)).containsExactly("-", "team-a/y", "-");
  }

  private static List<String> holders(Occupancy occupancy) {
    return occupancy.snapshot().gpus().stream()
        .map(gpu -> gpu.tenancy() instanceof Tenancy.Exclusive(String holder) ? holder : "-")
        .toList();
  }
}
