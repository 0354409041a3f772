package dev.cotenant.service.configuration;

import java.nio.file.Path;
import java.util.Optional;

/** Which GPUs are known beside the built-in ones. */
public interface DevicesConfiguration {
  /** A CSV file of devices. */
  Optional<Path> file();
}
