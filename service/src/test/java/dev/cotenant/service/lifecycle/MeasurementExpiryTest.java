package dev.cotenant.service.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.engine.lifecycle.StoreException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MeasurementExpiryTest {
  private static final Instant START = Instant.parse("2026-11-28T10:00:00Z");
  private static final Duration RETENTION = Duration.ofDays(180);

  private final List<Instant> deletions = new ArrayList<>();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private Instant now = START;
  private boolean isDown;
  private final MeasurementExpiry expiry =
      new MeasurementExpiry(this::delete, RETENTION, meters, () -> now);

  private Map<String, Integer> delete(Instant before) {
    if (isDown) {
      throw new StoreException("down", new IllegalStateException());
    }
    deletions.add(before);
    return Map.of("run", 3, "stay", 0);
  }

  private void expireAt(Instant instant) {
    now = instant;
    expiry.expire();
  }

  @Test
  void deletesAtTheFirstCallAndOnceAMinute() {
    expireAt(START);
    expireAt(START.plusSeconds(59));
    expireAt(START.plusSeconds(60));

    assertThat(deletions)
        .containsExactly(START.minus(RETENTION), START.plusSeconds(60).minus(RETENTION));
    assertThat(meters.counter("cotenant.measurements.expired", "kind", "run").count()).isEqualTo(6);
    assertThat(meters.counter("cotenant.measurements.expired", "kind", "stay").count()).isZero();
  }

  /** An earlier clock asks for less, and waits for no later one. */
  @Test
  void followsAClockThatIsSetBack() {
    expireAt(START);
    Instant back = START.minus(Duration.ofDays(400));
    expireAt(back);
    expireAt(back.plusSeconds(60));

    assertThat(deletions.subList(1, 3))
        .containsExactly(back.minus(RETENTION), back.plusSeconds(60).minus(RETENTION));
  }

  @Test
  void triesAgainAfterAFailure() {
    isDown = true;
    assertThatThrownBy(() -> expireAt(START)).isInstanceOf(StoreException.class);
    isDown = false;
    expireAt(START.plusSeconds(2));
    assertThat(deletions).hasSize(1);
  }
}
