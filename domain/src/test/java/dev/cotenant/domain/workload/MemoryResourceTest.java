package dev.cotenant.domain.workload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryResourceTest {
  @Test
  void isAnAmountOrAShareOfEachGpuOrASumOverThem() {
    assertThat(new MemoryResource("gpumem", 1 << 20, false).bytes(3, 1e9, 2)).isEqualTo(3 << 20);
    assertThat(new MemoryResource("gpu-memory", 1, true).bytes(4e8, 1e9, 2)).isEqualTo(2e8);
    assertThat(new MemoryResource("percentage", 0, false).bytes(30, 1e9, 2)).isEqualTo(3e8);
    assertThat(new MemoryResource("gpu", 0, true).bytes(100, 1e9, 2)).isEqualTo(5e8);
  }
}
