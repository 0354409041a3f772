package dev.cotenant.service.configuration;

import java.nio.file.Path;
import java.util.Optional;

/** Access to REST. */
public interface RestConfiguration {
  /** The token of an operator. */
  Optional<String> token();

  /** Tokens with roles, by their digests. */
  Optional<Path> tokensFile();
}
