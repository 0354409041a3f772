package dev.cotenant.service.configuration;

import java.util.Optional;

/** Access to REST. */
public interface RestConfiguration {
  /** What callers off this machine must present; without one they are refused. */
  Optional<String> token();
}
