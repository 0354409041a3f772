package dev.cotenant.service.rest.learning;

import dev.cotenant.domain.testing.Fuzzer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Coverage-guided; see {@link Fuzzer}. */
class ProfilesFuzzTest {
  @Test
  void letsNothingButInputExceptionsOutOfMeasuredRuns() throws Exception {
    Fuzzer.run(ProfilesFuzzTarget.class, Map.of(), 1 << 13, Duration.ofSeconds(60));
  }
}
