package dev.cotenant.service.rest.decision;

import dev.cotenant.domain.testing.Fuzzer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Coverage-guided; see {@link Fuzzer}. */
class ReservationFuzzTest {
  @Test
  void letsNothingButInputExceptionsOutOfReservations() throws Exception {
    Fuzzer.run(ReservationFuzzTarget.class, Map.of(), 1 << 12, Duration.ofSeconds(60));
  }
}
