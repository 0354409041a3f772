package dev.cotenant.domain.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceIdTest {
  @ParameterizedTest
  @ValueSource(strings = {"t4", "a100-40gb", "0", "z", "9-", "a--b"})
  void isOfSmallLettersDigitsAndHyphens(String name) {
    assertThat(new DeviceId(name)).hasToString(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-t4", "T4", "t4 ", "a_b", "é", "a100\n", "a/b", "`", "{", ":"})
  void isNothingElse(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DeviceId(name))
        .withMessageContaining("lower-case letters, digits and hyphens");
  }
}
