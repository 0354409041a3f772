package dev.cotenant.service.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.supervision.Fault;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.fleet.Fleets.Due;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.service.supervision.LoopFaults;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FleetPollerTest {
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final AtomicInteger looks = new AtomicInteger();

  @ParameterizedTest
  @EnumSource
  void isHealedOrEndsTheProcess(Fault.Kind kind) {
    LoopFaults faults = new LoopFaults("fleets", kind);
    try (FleetPoller poller =
        new FleetPoller(
            () -> {
              faults.strike();
              looks.incrementAndGet();
              return List.of();
            },
            meters)) {
      poller.start(Duration.ofMillis(5), faults.process().supervisor);

      faults.assertHealed(Duration.ofMinutes(10));
      if (faults.isSurvived()) {
        int before = looks.get();
        Eventually.holds("it looks again", () -> looks.get() > before + 1);
      }
    }
  }

  @Test
  void countsFailuresOfTheStoreAndGoesOn() {
    LoopFaults faults = new LoopFaults("fleets", Fault.Kind.LINKAGE);
    try (FleetPoller poller =
        new FleetPoller(
            () -> {
              looks.incrementAndGet();
              throw new StoreException("the store is down", new IllegalStateException("down"));
            },
            meters)) {
      poller.start(Duration.ofMillis(5), faults.process().supervisor);

      Eventually.holds("it looks again", () -> looks.get() > 2);
    }
    assertThat(meters.counter("cotenant.store.failures").count()).isGreaterThan(1);
  }

  @Test
  void decidesAboutTheOtherFleetsWhereOneFails() {
    LoopFaults faults = new LoopFaults("fleets", Fault.Kind.LINKAGE);
    AtomicInteger decided = new AtomicInteger();
    List<Due> fleets =
        List.of(
            new Due(
                "bad",
                () -> {
                  throw InputException.invalidArgument("unknown-model", "No model of this name.");
                }),
            new Due(
                "broken",
                () -> {
                  throw new IllegalStateException("a defect of mine");
                }),
            new Due("good", decided::incrementAndGet));
    try (FleetPoller poller = new FleetPoller(() -> fleets, meters)) {
      poller.start(Duration.ofMillis(5), faults.process().supervisor);

      Eventually.holds("it goes on", () -> decided.get() > 2);
    }
    assertThat(meters.counter("cotenant.store.failures").count()).isZero();
  }
}
