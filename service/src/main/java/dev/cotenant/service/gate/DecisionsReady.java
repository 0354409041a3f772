package dev.cotenant.service.gate;

import io.smallrye.health.api.HealthGroup;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;

/**
 * Up where this replica decides: at {@code /q/health/group/decisions}. With a gate controller that
 * is the leader alone, once it has seen the whole cluster in its term; the webhooks are ready
 * everywhere.
 */
@Singleton
@HealthGroup("decisions")
final class DecisionsReady implements HealthCheck {
  private final KubernetesParts kubernetes;

  DecisionsReady(KubernetesParts kubernetes) {
    this.kubernetes = kubernetes;
  }

  @Override
  public HealthCheckResponse call() {
    return HealthCheckResponse.named("decisions")
        .status(kubernetes.gate().map(GateControllerRuntime::isDeciding).orElse(true))
        .build();
  }
}
