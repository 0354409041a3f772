package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Capacity that was granted. */
public interface LedgerConfiguration {
  /** How long a grant waits for its pod. */
  @WithDefault("2m")
  Duration heldTtl();
}
