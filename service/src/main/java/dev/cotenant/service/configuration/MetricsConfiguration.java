package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Used-memory samples. */
public interface MetricsConfiguration {
  /** Age beyond which the newest sample is stale. */
  @WithDefault("2m")
  Duration maxAge();
}
