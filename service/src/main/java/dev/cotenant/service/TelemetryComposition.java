package dev.cotenant.service;

import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.tracing.OtlpTracing;
import dev.cotenant.service.tracing.Tracing;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Makes the outputs for operators: traces, and the format of log lines. */
@Singleton
final class TelemetryComposition {
  private static final int FIRST = 1;

  @Produces
  @Singleton
  Tracing tracing(ServiceSettings settings) {
    ServiceSettings.Telemetry telemetry = settings.telemetry();
    return telemetry
        .collector()
        .<Tracing>map(collector ->
            OtlpTracing.to(
                collector, telemetry.share(), KubernetesComposition.pod(System.getenv())))
        .orElse(Tracing.OFF);
  }

  void end(@Disposes Tracing tracing) {
    tracing.close();
  }

  void start(@Observes @Priority(FIRST) StartupEvent event, ServiceSettings settings) {
    if (settings.telemetry().logs() == ServiceSettings.LogFormat.JSON) {
      JsonLog.install();
    }
  }
}
