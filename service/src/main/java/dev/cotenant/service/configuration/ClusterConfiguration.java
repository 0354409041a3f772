package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;
import java.nio.file.Path;

/** Which cluster is decided about. */
public interface ClusterConfiguration {
  /** A recorded cluster (JSON). */
  @WithDefault("examples/clusters/busy.json")
  Path recorded();
}
