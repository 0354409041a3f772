package dev.cotenant.service.configuration;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** What is done otherwise in some namespaces; see {@link PolicyConfiguration}. */
public interface OtherPolicyConfiguration {
  /** The namespaces. */
  List<String> namespaces();

  Optional<String> mode();

  Optional<String> unknownModels();

  Optional<String> targeting();

  Optional<String> staleMetrics();

  Optional<String> ordering();

  Optional<Duration> ageing();

  OptionalInt maxSkips();

  Optional<Duration> maxWait();

  Optional<String> fallback();

  Optional<String> outOfMemory();

  OtherLimitsConfiguration limits();

  Map<String, OtherLimitsConfiguration> devices();
}
