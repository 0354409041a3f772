package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;
import java.util.Optional;
import java.util.Set;

/** Access to REST. */
public interface RestConfiguration {
  /** What callers off this machine must present; without one they are refused. */
  Optional<String> token();

  /** Whether callers on this machine need none. */
  @WithDefault("true")
  boolean trustLoopback();

  /** Names by which clients may call the service, beside localhost and where it listens. */
  Optional<Set<String>> allowedHosts();
}
