package dev.cotenant.service;

import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.engine.model.FolderDescriptions;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the folders and the URLs of language models that pods name, where any are configured;
 * decisions and webhooks use what was read.
 */
@Singleton
final class ModelReading {
  /**
   * Maximum time for the headers of a model: 150 ms from disk with a hundred shards, up to 45 s
   * from a slow host.
   */
  private static final Duration READ_AT_MOST = Duration.ofSeconds(60);

  private static final Duration REST = Duration.ofSeconds(1);

  private final FolderDescriptions descriptions;
  private final Supervisor supervisor;
  private final Polling polling;
  private final List<Loop> loops = new ArrayList<>();

  ModelReading(
      FolderDescriptions descriptions,
      Supervisor supervisor,
      Polling polling,
      MeterRegistry meters) {
    this.descriptions = descriptions;
    this.supervisor = supervisor;
    this.polling = polling;
    Gauge.builder("cotenant.model.descriptions", descriptions, known -> known.use()[0])
        .description("Cached descriptions of language models in folders")
        .strongReference(true)
        .register(meters);
  }

  void start() {
    if (descriptions.isConfigured()) {
      start(LoopPlan.restarted("model-descriptions", READ_AT_MOST), descriptions::readNext);
    }
    if (descriptions.readsUrls()) {
      start(LoopPlan.restarted("model-urls", READ_AT_MOST), descriptions::readNextUrl);
    }
  }

  /** Reads one model. */
  private interface Reading {
    boolean next(Duration most) throws InterruptedException;
  }

  private void start(LoopPlan plan, Reading reading) {
    loops.add(
        supervisor.start(
            plan,
            heart -> {
              heart.beatBefore(REST);
              if (reading.next(REST)) {
                polling.announce();
              }
            }));
  }

  void stop() {
    loops.forEach(Loop::close);
  }
}
