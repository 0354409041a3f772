package dev.cotenant.service.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.service.intake.IntakeSettings;
import dev.cotenant.service.intake.IntakeSettings.Connections;
import dev.cotenant.service.intake.IntakeSettings.Deadlines;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IntakeReaderTest {
  /** Every key. */
  static final Map<String, String> ALL =
      Map.of(
          "cotenant.intake.heap-share", "0.5",
          "cotenant.intake.connections", "30",
          "cotenant.intake.connections-per-peer", "20",
          "cotenant.intake.unproven-connections", "10",
          "cotenant.intake.reviews", "5",
          "cotenant.intake.handshake-deadline", "1s",
          "cotenant.intake.head-deadline", "2s",
          "cotenant.intake.body-deadline", "3s",
          "cotenant.intake.request-deadline", "4s",
          "cotenant.intake.idle-deadline", "6s");

  private static final long HEAP_BYTES = 1_000_000;

  private static IntakeSettings read(Map<String, String> properties) {
    return new IntakeReader(ConfigurationTest.configuration(properties).intake(), HEAP_BYTES)
        .read();
  }

  @Test
  void hasTheDocumentedDefaults() {
    assertThat(read(Map.of()))
        .isEqualTo(
            new IntakeSettings(
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
            new IntakeSettings(
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
    "unproven-connections, 0",
    "reviews, 0",
    "head-deadline, 0s",
    "idle-deadline, -1s"
  })
  void namesTheKeyThatIsOutOfRange(String key, String value) {
    assertThatThrownBy(() -> read(Map.of("cotenant.intake." + key, value)))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("cotenant.intake." + key + " must be")
        .message()
        .hasLineCount(1);
  }
}
