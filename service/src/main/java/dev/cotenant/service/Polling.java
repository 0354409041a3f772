package dev.cotenant.service;

import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.service.cluster.MetricsPoller;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Keeps the poller, if there is one, and stops it with the service. */
@Singleton
final class Polling {
  private @Nullable MetricsPoller poller;

  private final Supervisor supervisor;
  private volatile Runnable refreshed = () -> {};

  Polling(Supervisor supervisor) {
    this.supervisor = supervisor;
  }

  /** Sets the listener of completed readings. */
  void onRefresh(Runnable listener) {
    refreshed = listener;
  }

  /** Notifies the listener of a change that did not come from polling. */
  void announce() {
    refreshed.run();
  }

  void begin(MetricsPoller started, Duration interval) {
    poller = started;
    started.start(interval, () -> refreshed.run(), supervisor);
  }

  void stop(@Observes ShutdownEvent event) {
    MetricsPoller running = poller;
    if (running != null) {
      running.stop();
    }
  }
}
