package dev.cotenant.service.configuration;

import java.util.OptionalDouble;
import java.util.OptionalInt;

/** In which limits one differs from another; see {@link LimitsConfiguration}. */
public interface OtherLimitsConfiguration {
  OptionalDouble utilizationPercent();

  OptionalDouble memoryHeadroomPercent();

  OptionalInt tenants();

  OptionalDouble slowdown();

  OptionalDouble coveragePercent();
}
