package dev.cotenant.service;

import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.gate.KubernetesParts;
import dev.cotenant.service.serving.EngineFeedback;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Learns from running servers of language models, where a metrics server and a gate know them. */
@Singleton
final class ServingLoop {
  private static final Duration INTERVAL = Duration.ofMinutes(1);

  private final ServiceSettings settings;
  private final KubernetesParts kubernetes;
  private final EngineFeedback feedback;
  private final Supervisor supervisor;

  ServingLoop(
      ServiceSettings settings,
      KubernetesParts kubernetes,
      EngineFeedback feedback,
      Supervisor supervisor) {
    this.settings = settings;
    this.kubernetes = kubernetes;
    this.feedback = feedback;
    this.supervisor = supervisor;
  }

  void start() {
    if (settings.prometheus().isPresent() && kubernetes.gate().isPresent()) {
      feedback.start(INTERVAL, supervisor);
    }
  }

  void stop() {
    feedback.close();
  }
}
