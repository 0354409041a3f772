package dev.cotenant.domain.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {
  private record Gpu(String id, String product, int gib) {}

  private static final List<Gpu> GPUS =
      List.of(
          new Gpu("k80", "Tesla K80 (one of its two GPUs)", 12), new Gpu("v100", "Tesla V100", 16));

  private static final Table<Gpu> TABLE =
      new Table<Gpu>()
          .text("id", Gpu::id)
          .text("product", Gpu::product)
          .number("GiB", gpu -> Integer.toString(gpu.gib()));

  @Test
  void linesUpColumns() {
    assertThat(TABLE.lines(GPUS))
        .containsExactly(
            "id    product                          GiB",
            "k80   Tesla K80 (one of its two GPUs)   12",
            "v100  Tesla V100                        16");
    assertThat(TABLE.lines(GPUS, 42)).isEqualTo(TABLE.lines(GPUS));
  }

  @Test
  void wrapsCellsThatAreTooWide() {
    assertThat(TABLE.lines(GPUS, 30))
        .containsExactly(
            "id    product              GiB",
            "k80   Tesla K80 (one of     12",
            "      its two GPUs)",
            "v100  Tesla V100            16");
  }

  @Test
  void showsABlockForEachRowWhereWrappingIsNotEnough() {
    assertThat(TABLE.lines(GPUS, 19))
        .containsExactly(
            "k80",
            "  product  Tesla",
            "           K80 (one",
            "           of its",
            "           two",
            "           GPUs)",
            "  GiB      12",
            "v100",
            "  product  Tesla",
            "           V100",
            "  GiB      16");
  }

  @Test
  void isNeverWiderThanItsLongestWordNeeds() {
    for (int width = 1; width < 50; width++) {
      assertThat(TABLE.lines(GPUS, width))
          .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(42));
    }
  }
}
