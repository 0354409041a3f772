package dev.cotenant.zoo.layers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.zoo.layers.Window.Extent;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowTest {
  /**
   * Down: ⌊(n + 2p − k)/s⌋ + 1. Up: the ceiling, less one where the last window would start in the
   * trailing padding: n = 3, k = 2, s = 2, p = 1 gives ⌈3/2⌉ + 1 = 3, whose window starts at 4 = n
   * + p, so 2.
   */
  @ParameterizedTest
  @CsvSource({
    "224, 7, 2, 3, 112, 113",
    "112, 3, 2, 0, 55, 56",
    "112, 3, 2, 1, 56, 57",
    "55, 3, 2, 0, 27, 27",
    "28, 3, 1, 1, 28, 28",
    "14, 2, 2, 0, 7, 7",
    "3, 2, 2, 1, 2, 2",
    "1, 3, 2, 0, 0, 0",
  })
  void countsThePlacesOfAKernel(int input, int kernel, int stride, int padding, int down, int up) {
    Window window = Window.kernel(kernel).stride(stride).padding(padding);

    assertThat(window.output(new Extent(input, input))).isEqualTo(new Extent(down, down));
    assertThat(window.outputRoundedUp(new Extent(input, input))).isEqualTo(new Extent(up, up));
  }
}
