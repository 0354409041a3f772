package dev.cotenant.service;

import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.service.configuration.CotenantConfiguration;
import dev.cotenant.service.configuration.IntakeReader;
import dev.cotenant.service.intake.Intake;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Makes the bounds of all listeners. */
final class IntakeComposition {
  @Produces
  @Singleton
  Intake intake(CotenantConfiguration configuration, MeterRegistry meters, Supervisor supervisor) {
    long heapBytes = Runtime.getRuntime().maxMemory();
    return new Intake(
        new IntakeReader(configuration.server(), heapBytes).read(),
        configuration.webhook().port(),
        meters,
        supervisor);
  }
}
