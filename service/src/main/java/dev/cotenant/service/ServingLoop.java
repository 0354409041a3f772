package dev.cotenant.service;

import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.service.cluster.SpeedWatch;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.fleet.FleetPoller;
import dev.cotenant.service.gate.KubernetesParts;
import dev.cotenant.service.serving.EngineFeedback;
import jakarta.inject.Singleton;
import java.time.Duration;

/**
 * Reads metrics of watched fleets, where there is a metrics server, and of running pods, where a
 * gate knows them too: servers of language models, and speeds and latencies.
 */
@Singleton
final class ServingLoop {
  /** Between two looks at servers that have just started. */
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  /** Between two looks for speeds that are due. */
  private static final Duration SPEEDS = Duration.ofSeconds(5);

  /** Between two looks for fleets whose period is over. */
  private static final Duration FLEETS = Duration.ofSeconds(2);

  private final ServiceSettings settings;
  private final KubernetesParts kubernetes;
  private final EngineFeedback feedback;
  private final SpeedWatch speeds;
  private final FleetPoller fleets;
  private final Supervisor supervisor;

  ServingLoop(
      ServiceSettings settings,
      KubernetesParts kubernetes,
      EngineFeedback feedback,
      SpeedWatch speeds,
      FleetPoller fleets,
      Supervisor supervisor) {
    this.settings = settings;
    this.kubernetes = kubernetes;
    this.feedback = feedback;
    this.speeds = speeds;
    this.fleets = fleets;
    this.supervisor = supervisor;
  }

  void start() {
    if (settings.prometheus().isPresent()) {
      fleets.start(FLEETS, supervisor);
    }
    if (settings.prometheus().isPresent() && kubernetes.gate().isPresent()) {
      feedback.start(INTERVAL, supervisor);
      speeds.start(SPEEDS, supervisor);
    }
  }

  void stop() {
    fleets.close();
    speeds.close();
    feedback.close();
  }
}
