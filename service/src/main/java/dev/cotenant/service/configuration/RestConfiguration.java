package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** Access to REST. */
public interface RestConfiguration {
  /** The token of an operator. */
  Optional<String> token();

  /** Tokens with roles, by their digests. */
  Optional<Path> tokensFile();

  /** Whether callers on this machine need none. */
  @WithDefault("true")
  boolean trustLoopback();

  /** Names by which clients may call the service, beside localhost and where it listens. */
  Optional<Set<String>> allowedHosts();
}
