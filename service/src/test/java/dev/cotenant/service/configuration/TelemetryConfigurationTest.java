package dev.cotenant.service.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TelemetryConfigurationTest {
  @Test
  void isOffByDefault() {
    assertThat(ConfigurationTest.read(Map.of()).telemetry())
        .isEqualTo(
            new ServiceSettings.Telemetry(ServiceSettings.LogFormat.TEXT, Optional.empty(), 1));
  }

  @ParameterizedTest
  @CsvSource({
    "share, 1.1",
    "share, -0.1",
    "share, NaN",
    "endpoint, collector:4318",
    "endpoint, grpc://collector:4317",
    "endpoint, 'http://a b'",
    "endpoint, http:///v1/traces",
    "endpoint, http://c/?a=b",
    "endpoint, http://c/#a",
  })
  void namesTheKeyThatIsOutOfRange(String key, String value) {
    assertThatThrownBy(() -> ConfigurationTest.read(Map.of("cotenant.traces." + key, value)))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("cotenant.traces." + key + " must ")
        .message()
        .hasLineCount(1);
  }
}
