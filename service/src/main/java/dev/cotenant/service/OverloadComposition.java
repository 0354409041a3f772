package dev.cotenant.service;

import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.service.configuration.CotenantConfiguration;
import dev.cotenant.service.configuration.OverloadReader;
import dev.cotenant.service.overload.LoadShedding;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Makes the bounds of all listeners. */
final class OverloadComposition {
  @Produces
  @Singleton
  LoadShedding loadShedding(
      CotenantConfiguration configuration, MeterRegistry meters, Supervisor supervisor) {
    long heapBytes = Runtime.getRuntime().maxMemory();
    return new LoadShedding(
        new OverloadReader(configuration.server(), heapBytes).read(),
        configuration.webhook().port(),
        meters,
        supervisor);
  }
}
