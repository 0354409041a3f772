package dev.cotenant.domain.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClusterSnapshotTest {
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
  private static final Tenancy FREE = new Tenancy.Shared(List.of());
  private static final Tenancy HELD = new Tenancy.Exclusive("team-a/big");

  private final ClusterSnapshot snapshot =
      new ClusterSnapshot(NOW, List.of(gpu("b", "t4"), gpu("a", "a100-40gb")));

  private static GpuSnapshot gpu(String uuid, String device) {
    Device product = DeviceCatalogue.builtIn().require(device);
    return new GpuSnapshot(
        uuid,
        "node-1",
        product,
        MemorySize.ofGiB(14),
        FREE,
        new MemoryObservation.Unmeasured(),
        Utilization.ofPercent(30));
  }

  /** Counts how often it was made, and joins the names of what changed. */
  private record Names(String names) implements SnapshotView {
    @Override
    public Names with(List<Change> changes) {
      Stream<String> changed = changes.stream().map(c -> c.position() + c.gpu().uuid());
      return new Names(names + "," + String.join(",", changed.toList()));
    }
  }

  @Test
  void changesSingleGpusAndLeavesItselfAlone() {
    ClusterSnapshot after = snapshot.with(List.of(gpu("a", "a100-40gb").withTenancy(HELD)));

    assertThat(after.gpus()).extracting(GpuSnapshot::tenancy).containsExactly(FREE, HELD);
    assertThat(snapshot.gpus()).extracting(GpuSnapshot::tenancy).containsExactly(FREE, FREE);
    assertThat(after).isEqualTo(new ClusterSnapshot(NOW, after.gpus())).isNotEqualTo(snapshot);
    assertThat(after.find("a")).contains(after.gpus().get(1));
    assertThat(after.find("c")).isEmpty();
  }

  @Test
  void isItselfWithoutChanges() {
    assertThat(snapshot.with(List.of())).isSameAs(snapshot);
  }

  @Test
  void refusesGpusThatAreNotThereOrMoved() {
    assertThatThrownBy(() -> snapshot.with(List.of(gpu("c", "t4"))))
        .hasMessage("GPU c is not in the cluster");
    assertThatThrownBy(() -> snapshot.with(List.of(gpu("a", "t4"))))
        .hasMessage("GPU a is elsewhere or another product");
    assertThatThrownBy(() -> new ClusterSnapshot(NOW, List.of(gpu("a", "t4"), gpu("a", "t4"))))
        .hasMessage("GPU a appears twice");
  }

  @Test
  void keepsAViewAndCarriesItAlong() {
    assertThat(snapshot.view(Names.class, _ -> new Names("made")).names()).isEqualTo("made");
    assertThat(snapshot.view(Names.class, _ -> new Names("again")).names()).isEqualTo("made");

    ClusterSnapshot after = snapshot.with(List.of(gpu("a", "a100-40gb").withTenancy(HELD)));

    assertThat(after.view(Names.class, _ -> new Names("again")).names()).isEqualTo("made,1a");
    assertThat(snapshot.view(Names.class, _ -> new Names("again")).names()).isEqualTo("made");
  }

  @Test
  void knowsItsProductsInTheOrderOfTheirIds() {
    assertThat(snapshot.devices()).extracting(Object::toString).containsExactly("a100-40gb", "t4");
  }

  @Test
  void keepsTheObservedUtilizationOfAGpuWhoseMemoryIsSeenAnew() {
    GpuSnapshot gpu = gpu("a", "t4").withMemory(new MemoryObservation.Unmeasured());

    assertThat(gpu.observedUtilization()).isEqualTo(Utilization.ofPercent(30));
  }
}
