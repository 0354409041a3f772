package dev.cotenant.domain.quantity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemorySizeTest {
  @Test
  void countsInPowersOf1024() {
    assertThat(MemorySize.ofKiB(1).bytes()).isEqualTo(1024);
    assertThat(MemorySize.ofMiB(3).bytes()).isEqualTo(3L * 1024 * 1024);
    assertThat(MemorySize.ofGiB(2).toMiB()).isEqualTo(2048);
    assertThat(MemorySize.ofMiB(512).toGiB()).isEqualTo(0.5);
  }

  @Test
  void refusesToGoBelowZero() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MemorySize.ofBytes(-1))
        .withMessageContaining("-1");
    assertThat(MemorySize.ofMiB(1).minusOrZero(MemorySize.ofMiB(2))).isEqualTo(MemorySize.ZERO);
  }

  @Test
  void refusesToOverflow() {
    assertThatExceptionOfType(ArithmeticException.class)
        .isThrownBy(() -> MemorySize.ofGiB(Long.MAX_VALUE));
    assertThatExceptionOfType(ArithmeticException.class)
        .isThrownBy(() -> MemorySize.ofBytes(Long.MAX_VALUE).plus(MemorySize.ofBytes(1)));
  }

  @ParameterizedTest
  @ValueSource(doubles = {-1, Double.NaN, Double.POSITIVE_INFINITY, 0x1p63})
  void refusesComputedSizesThatAreNone(double bytes) {
    assertThatIllegalArgumentException().isThrownBy(() -> MemorySize.ofBytesRoundedUp(bytes));
  }

  @Test
  void roundsProductsUp() {
    assertThat(MemorySize.ofBytes(10).times(0.25).bytes()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "1023, 1023 B",
    "1536, 1.5 KiB",
    "10485760, 10 MiB",
    "7784628224, 7.25 GiB",
    "107374182400, 100 GiB"
  })
  void readsLikeAPersonWouldSayIt(long bytes, String text) {
    assertThat(MemorySize.ofBytes(bytes)).hasToString(text);
  }
}
