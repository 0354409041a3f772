package dev.cotenant.service.origin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AuthorityTest {
  @ParameterizedTest
  @CsvSource({
    "localhost, localhost, false, -1",
    "LocalHost:8080, localhost, false, 8080",
    "localhost.:8080, localhost, false, 8080",
    "evil.example, evil.example, false, -1",
    "127.0.0.1:80, 127.0.0.1, true, 80",
    "127.0.0.1., 127.0.0.1, true, -1",
    "[::1]:8080, 0:0:0:0:0:0:0:1, true, 8080",
    "[0:0::0001], 0:0:0:0:0:0:0:1, true, -1",
    "[::ffff:127.0.0.1], 127.0.0.1, true, -1",
    "127.0.0.1.evil.example, 127.0.0.1.evil.example, false, -1",
    "2130706433, 2130706433, false, -1",
    "0x7f.1, 0x7f.1, false, -1",
  })
  void hasOneSpelling(String text, String host, boolean isAddress, int port) {
    assertThat(Authority.parse(text))
        .contains(
            new Authority(host, isAddress, port < 0 ? OptionalInt.empty() : OptionalInt.of(port)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " localhost",
        "localhost ",
        "localhost:",
        "localhost:65536",
        "localhost:123456",
        "localhost:-1",
        "localhost:80:80",
        "localhost/",
        "localhost#",
        "localhost,evil.example",
        "user@localhost",
        "evil.example@localhost:8080",
        "localhost\\@evil.example",
        "::1",
        "[::1",
        "[::1%25lo]",
        "[::1%lo]:80",
        "[fe80::1%eth0]",
        "[localhost]",
        "1.2.3.256",
        "löcalhost",
        "local\u0000host",
        "http://localhost",
      })
  void isNothingElse(String text) {
    assertThat(Authority.parse(text)).isEmpty();
  }

  @Test
  void isNoLongerThanNamesAre() {
    assertThat(Authority.parse("a".repeat(300))).isPresent();
    assertThat(Authority.parse("a".repeat(301))).isEmpty();
  }
}
