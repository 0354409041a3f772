package dev.cotenant.placement.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MemoryByBatchTest {
  private static MemoryByBatch of(Map<Integer, Long> bytes) {
    TreeMap<Integer, MemorySize> points = new TreeMap<>();
    bytes.forEach((batch, size) -> points.put(batch, MemorySize.ofBytes(size)));
    return new MemoryByBatch(points);
  }

  @Test
  void isLinearBetweenBatchesAndConstantBeyondThem() {
    MemoryByBatch memory = of(Map.of(2, 100L, 4, 201L, 32, 1000L));

    assertThat(memory.at(1)).isEqualTo(MemorySize.ofBytes(100));
    assertThat(memory.at(2)).isEqualTo(MemorySize.ofBytes(100));
    assertThat(memory.at(3)).isEqualTo(MemorySize.ofBytes(151));
    assertThat(memory.at(4)).isEqualTo(MemorySize.ofBytes(201));
    assertThat(memory.at(32)).isEqualTo(MemorySize.ofBytes(1000));
    assertThat(memory.at(64)).isEqualTo(memory.most());
    assertThat(memory.at(Integer.MAX_VALUE)).isEqualTo(memory.most());
  }

  @Test
  void neverFallsAndNeverExceedsTheLargest() {
    MemoryByBatch memory = of(Map.of(1, 0L, 7, Long.MAX_VALUE / 3, 32, Long.MAX_VALUE));

    for (int batch = 2; batch <= 40; batch++) {
      assertThat(memory.at(batch)).isGreaterThanOrEqualTo(memory.at(batch - 1));
      assertThat(memory.at(batch)).isLessThanOrEqualTo(memory.most());
    }
  }

  @Test
  void refusesWhatCannotBe() {
    assertThatThrownBy(() -> of(Map.of())).hasMessageContaining("needs at least one batch");
    assertThatThrownBy(() -> of(Map.of(0, 1L))).hasMessageContaining("has batch 0");
    assertThatThrownBy(() -> of(Map.of(1, 2L, 8, 1L)))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("has 1 B at batch 8, less than");
  }

  @Test
  void predictionsCountAtLeastAsThoseOfSmallerBatches() {
    TreeMap<Integer, MemorySize> bounds = new TreeMap<>();
    bounds.put(1, MemorySize.ofGiB(2));
    bounds.put(8, MemorySize.ofGiB(1));
    bounds.put(32, MemorySize.ofGiB(3));

    assertThat(MemoryByBatch.rising(bounds).at(8)).isEqualTo(MemorySize.ofGiB(2));
    assertThat(MemoryByBatch.rising(bounds).most()).isEqualTo(MemorySize.ofGiB(3));
  }
}
