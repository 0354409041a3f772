package dev.cotenant.service.rest.serving;

import dev.cotenant.domain.testing.Fuzzer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Coverage-guided; see {@link Fuzzer}. */
class ServiceProfileFuzzTest {
  @Test
  void letsNothingButInputExceptionsOutOfServiceProfiles() throws Exception {
    Fuzzer.run(ServiceProfileFuzzTarget.class, Map.of(), 1 << 12, Duration.ofSeconds(60));
  }
}
