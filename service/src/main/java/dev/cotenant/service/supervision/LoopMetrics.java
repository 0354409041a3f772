package dev.cotenant.service.supervision;

import dev.cotenant.admission.supervision.LoopState;
import dev.cotenant.admission.supervision.SupervisionListener;
import dev.cotenant.admission.supervision.Supervisor;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Counts restarts of loops, shows how old their heartbeats are, and logs what is unusual. */
public final class LoopMetrics implements SupervisionListener {
  private static final Logger LOG = Logger.getLogger(LoopMetrics.class);
  private static final double MILLIS_PER_SECOND = 1_000;

  private final MeterRegistry meters;
  private @Nullable Supervisor supervisor;

  LoopMetrics(MeterRegistry meters) {
    this.meters = meters;
  }

  /** A supervisor of this process with metrics. */
  public static Supervisor supervisor(MeterRegistry meters) {
    LoopMetrics metrics = new LoopMetrics(meters);
    Supervisor supervisor = Supervisor.ofProcess(metrics);
    metrics.show(supervisor);
    return supervisor;
  }

  void show(Supervisor shown) {
    supervisor = shown;
    Gauge.builder("cotenant.watchdog.age.seconds", shown, one -> seconds(one.watchdogSilence()))
        .description("Age of the watchdog's last check of all loops")
        .strongReference(true)
        .register(meters);
  }

  @Override
  public void started(String loop) {
    Supervisor shown = supervisor;
    if (shown != null) {
      FunctionCounter.builder("cotenant.loop.restarts", shown, one -> one.restarts(loop))
          .description("Restarts of a background loop that was dead or stuck")
          .tag("loop", loop)
          .register(meters);
      Gauge.builder("cotenant.loop.heartbeat.age.seconds", shown, one -> age(one, loop))
          .description("Age of a background loop's last heartbeat; pauses do not count")
          .tag("loop", loop)
          .strongReference(true)
          .register(meters);
    }
  }

  /** Of a loop that does not run now, such as a watch of a replica that does not lead: none. */
  private static double age(Supervisor supervisor, String loop) {
    return supervisor.loops().stream()
        .filter(state -> state.name().equals(loop))
        .map(LoopState::silence)
        .max(Duration::compareTo)
        .map(LoopMetrics::seconds)
        .orElse(Double.NaN);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / MILLIS_PER_SECOND;
  }

  @Override
  public void restarted(String loop, Throwable cause) {
    LOG.errorf(cause, "The loop '%s' has failed and was restarted", loop);
  }

  @Override
  public void stuck(String loop, Duration silence) {
    LOG.errorf(
        "The loop '%s' has had no heartbeat for %d s and is interrupted",
        loop, silence.toSeconds());
  }

  @Override
  public void ending(String loop, Throwable cause) {
    LOG.fatalf(cause, "The loop '%s' has failed, so the process ends", loop);
  }
}
