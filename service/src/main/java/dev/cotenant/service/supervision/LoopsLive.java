package dev.cotenant.service.supervision;

import dev.cotenant.admission.supervision.LoopState;
import dev.cotenant.admission.supervision.Supervisor;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Liveness;

/**
 * Up while every background loop gives signs of life, and the watchdog that would restart it does.
 * Down names each loop that does not, with what is wrong and for how long it has been silent.
 */
@Singleton
@Liveness
final class LoopsLive implements HealthCheck {
  /** Ten looks of the watchdog are missing. */
  static final Duration WATCHDOG_AT_MOST = Supervisor.EVERY.multipliedBy(10);

  private final Supervisor supervisor;

  LoopsLive(Supervisor supervisor) {
    this.supervisor = supervisor;
  }

  @Override
  public HealthCheckResponse call() {
    List<LoopState> down = supervisor.loops().stream().filter(state -> !state.isAlive()).toList();
    Duration watchdog = supervisor.watchdogSilence();
    boolean watched = watchdog.compareTo(WATCHDOG_AT_MOST) <= 0;
    HealthCheckResponseBuilder answer =
        HealthCheckResponse.named("loops").status(down.isEmpty() && watched);
    down.forEach(state -> answer.withData(state.name(), words(state)));
    if (!watched) {
      answer.withData("watchdog", "stuck, silent for " + watchdog.toSeconds() + " s");
    }
    return answer.build();
  }

  private static String words(LoopState state) {
    return state.condition().name().toLowerCase(Locale.ROOT)
        + ", silent for "
        + state.silence().toSeconds()
        + " s";
  }
}
