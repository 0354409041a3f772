package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;
import java.nio.file.Path;

/** Where the service keeps its files. */
public interface DataConfiguration {
  /** Registered models, uploads in progress and the self-signed certificate. */
  @WithDefault(".cotenant")
  Path directory();
}
