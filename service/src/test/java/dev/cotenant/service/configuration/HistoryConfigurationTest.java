package dev.cotenant.service.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.service.history.HistoryRecorder.Retention;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistoryConfigurationTest {
  @Test
  void readsRetentionAndPrices() {
    ServiceSettings settings =
        ConfigurationTest.read(
            Map.of(
                "cotenant.history.retention",
                "2d",
                "cotenant.history.gpu-rows",
                "9",
                "cotenant.measurements.retention",
                "1d",
                "cotenant.devices.prices",
                "t4=0.35, a100-40gb = 2.9"));
    assertThat(settings.history()).isEqualTo(new Retention(Duration.ofDays(2), 9));
    assertThat(settings.measurementRetention()).isEqualTo(Duration.ofDays(1));
    assertThat(settings.devices().prices()).isEqualTo(Map.of("t4", 0.35, "a100-40gb", 2.9));
    assertThat(ConfigurationTest.read(Map.of()).history())
        .isEqualTo(new Retention(Duration.ofDays(8), 3_000_000));
    assertThat(ConfigurationTest.read(Map.of()).measurementRetention())
        .isEqualTo(Duration.ofDays(180));
  }

  @ParameterizedTest
  @CsvSource({
    "devices.prices, 't4=0.35,l4=-1'",
    "devices.prices, t4",
    "devices.prices, t4=1e9",
    "devices.prices, =1",
    "devices.currency, 12",
    "devices.currency, '<b>'",
    "history.retention, 59m",
    "history.retention, 401d",
    "history.gpu-rows, 0",
    "history.gpu-rows, 1000000001",
    "measurements.retention, 23h",
    "measurements.retention, 3651d"
  })
  void namesTheKeyThatIsOutOfRange(String key, String value) {
    assertThatThrownBy(() -> ConfigurationTest.read(Map.of("cotenant." + key, value)))
        .hasMessageContaining("cotenant." + key);
  }
}
