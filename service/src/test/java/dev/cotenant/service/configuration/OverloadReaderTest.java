package dev.cotenant.service.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.service.overload.OverloadSettings;
import dev.cotenant.service.overload.OverloadSettings.Connections;
import dev.cotenant.service.overload.OverloadSettings.Deadlines;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverloadReaderTest {
  /** Every key. */
  static final Map<String, String> ALL =
      Map.of(
          "cotenant.server.heap-share", "0.5",
          "cotenant.server.connections", "30",
          "cotenant.server.connections-per-peer", "20",
          "cotenant.server.handshakes", "10",
          "cotenant.server.reviews", "5",
          "cotenant.server.handshake-deadline", "1s",
          "cotenant.server.head-deadline", "2s",
          "cotenant.server.body-deadline", "3s",
          "cotenant.server.request-deadline", "4s",
          "cotenant.server.idle-deadline", "6s");

  private static final long HEAP_BYTES = 1_000_000;

  private static OverloadSettings read(Map<String, String> properties) {
    return new OverloadReader(ConfigurationTest.configuration(properties).server(), HEAP_BYTES)
        .read();
  }

  @Test
  void hasTheDocumentedDefaults() {
    assertThat(read(Map.of()))
        .isEqualTo(
            new OverloadSettings(
                250_000,
                new Connections(1024, 512, 128),
                64,
                new Deadlines(
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(10),
                    Duration.ofMinutes(5),
                    Duration.ofMinutes(2))));
  }

  @Test
  void mapsEveryKey() {
    assertThat(read(ALL))
        .isEqualTo(
            new OverloadSettings(
                500_000,
                new Connections(30, 20, 10),
                5,
                new Deadlines(
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(2),
                    Duration.ofSeconds(3),
                    Duration.ofSeconds(4),
                    Duration.ofSeconds(6))));
  }

  @ParameterizedTest
  @CsvSource({
    "heap-share, 0",
    "heap-share, 0.8",
    "heap-share, NaN",
    "connections, 0",
    "connections-per-peer, 1025",
    "handshakes, 0",
    "reviews, 0",
    "head-deadline, 0s",
    "idle-deadline, -1s"
  })
  void namesTheKeyThatIsOutOfRange(String key, String value) {
    assertThatThrownBy(() -> read(Map.of("cotenant.server." + key, value)))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("cotenant.server." + key + " must be")
        .message()
        .hasLineCount(1);
  }
}
