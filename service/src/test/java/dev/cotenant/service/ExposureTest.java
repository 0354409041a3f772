package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.service.configuration.ConfigurationTest;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExposureTest {
  private static final Map<String, String> CLUSTER = Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1");

  private static Exposure of(String trust, String host, Map<String, String> environment) {
    return new Exposure(
        ConfigurationTest.read(Map.of("cotenant.rest.trust-loopback", trust)), host, environment);
  }

  @Test
  void refusesToTrustLoopbackInAPodThatListensElsewhere() {
    assertThatThrownBy(of("true", "0.0.0.0", CLUSTER)::check)
        .isInstanceOf(InputException.class)
        .hasMessageContainingAll("cotenant.rest.trust-loopback must be false", "0.0.0.0")
        .message()
        .hasLineCount(1);
  }

  @Test
  void startsWhereNothingIsOpen() {
    assertThatCode(of("false", "0.0.0.0", CLUSTER)::check).doesNotThrowAnyException();
    assertThatCode(of("true", "127.0.0.1", CLUSTER)::check).doesNotThrowAnyException();
    assertThatCode(of("true", "0.0.0.0", Map.of())::check).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true",
    "::1, true",
    "localhost, true",
    "0.0.0.0, false",
    "::, false",
    "10.0.0.7, false",
    "gpus.example, false"
  })
  void knowsLoopback(String host, boolean loopback) {
    assertThat(Exposure.isLoopback(host)).isEqualTo(loopback);
  }
}
