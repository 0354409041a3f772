package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;

/** Remembered decisions. */
public interface DecisionsConfiguration {
  /** How many are remembered. */
  @WithDefault("500")
  int history();
}
