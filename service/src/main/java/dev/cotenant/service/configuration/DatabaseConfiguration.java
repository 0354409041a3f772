package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.Optional;

/** Where models, profiles and predictors are kept. */
public interface DatabaseConfiguration {
  /** Of PostgreSQL; without one a database in the data directory is used. */
  Optional<String> url();

  /** Who connects to it. */
  Optional<String> user();

  /** The user's password. */
  Optional<String> password();

  /** How often it is looked at for what other replicas changed. */
  @WithDefault("2s")
  Duration refreshInterval();
}
