package dev.cotenant.service;

import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.engine.model.FolderDescriptions;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;

/**
 * Reads the folders of language models that pods name, where folders are configured; decisions and
 * webhooks use what was read.
 */
@Singleton
final class ModelReading {
  /** Reads the headers of one model, 150 ms from disk where it has a hundred shards. */
  private static final Duration READ_AT_MOST = Duration.ofSeconds(60);

  private static final Duration REST = Duration.ofSeconds(1);

  private final FolderDescriptions descriptions;
  private final Supervisor supervisor;
  private final Polling polling;
  private Optional<Loop> loop = Optional.empty();

  ModelReading(
      FolderDescriptions descriptions,
      Supervisor supervisor,
      Polling polling,
      MeterRegistry meters) {
    this.descriptions = descriptions;
    this.supervisor = supervisor;
    this.polling = polling;
    Gauge.builder("cotenant.model.descriptions", descriptions, known -> known.use()[0])
        .description("Descriptions of language models in folders that are remembered")
        .strongReference(true)
        .register(meters);
  }

  void start() {
    if (descriptions.isConfigured()) {
      loop =
          Optional.of(
              supervisor.start(
                  LoopPlan.restarted("model-descriptions", READ_AT_MOST),
                  heart -> {
                    heart.beatBefore(REST);
                    if (descriptions.readNext(REST)) {
                      polling.announce();
                    }
                  }));
    }
  }

  void stop() {
    loop.ifPresent(Loop::close);
  }
}
