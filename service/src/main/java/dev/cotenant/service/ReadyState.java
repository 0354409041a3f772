package dev.cotenant.service;

import jakarta.enterprise.inject.Default;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;
import org.eclipse.microprofile.health.Startup;

/**
 * Up once every part is made, the webhook port is open, and reviews were tried over HTTPS. The page
 * is available slightly earlier.
 */
@Singleton
@Default
@Readiness
@Startup
final class ReadyState implements HealthCheck {
  private final AtomicBoolean up = new AtomicBoolean();

  void set() {
    up.set(true);
  }

  @Override
  public HealthCheckResponse call() {
    return HealthCheckResponse.named("webhooks").status(up.get()).build();
  }
}
