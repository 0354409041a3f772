package dev.cotenant.admission.reservation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.reservation.Reservation.RequestKey;
import dev.cotenant.admission.reservation.ReservationOutcome.Refused;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReservationIndexTest {
  private static final Instant NOW = Instant.parse("2026-11-24T10:00:00Z");
  private static final Refused REFUSED =
      Refused.of(new Decision.Held(List.of(new Reason.QueuedBehind("team-a/big", 0))), null);

  private final ReservationIndex index = new ReservationIndex();

  private static RequestKey key(String name) {
    return new RequestKey("anna", name, "f");
  }

  /** Callers who are refused under a new key each time would else fill the memory for hours. */
  @Test
  void forgetsRefusalsThatAreNotRepeatedAnyMore() {
    index.put(key("old"), REFUSED, NOW);
    index.put(key("new"), REFUSED, NOW.plusSeconds(60));
    assertThat(index.answer(key("old"), NOW)).contains(REFUSED);

    index.put(key("newest"), REFUSED, NOW.plus(Duration.ofSeconds(150)));

    assertThat(index.answer(key("old"), NOW)).as("though it is asked for in its time").isEmpty();
    assertThat(index.answer(key("new"), NOW)).contains(REFUSED);
    assertThat(index.answer(key("newest"), NOW)).contains(REFUSED);
  }
}
