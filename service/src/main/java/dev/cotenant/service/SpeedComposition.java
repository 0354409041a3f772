package dev.cotenant.service;

import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.risk.SpeedMemory;
import dev.cotenant.engine.risk.SpeedStore;
import dev.cotenant.engine.serving.ServiceProfileStore;
import dev.cotenant.engine.serving.ServiceProfiles;
import dev.cotenant.service.cluster.SpeedReports;
import dev.cotenant.service.store.Database;
import dev.cotenant.service.store.SqlServiceProfiles;
import dev.cotenant.service.store.SqlSpeeds;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import org.jboss.logging.Logger;

/** Makes the parts that hold what was measured of speeds and services. */
final class SpeedComposition {
  private static final Logger LOG = Logger.getLogger(SpeedComposition.class);

  /** So many unreadable profiles are logged, and then one of so many. */
  private static final int LOGGED = 100;

  @Produces
  @Singleton
  SpeedStore speedStore(Database database) {
    return new SqlSpeeds(database);
  }

  @Produces
  @Singleton
  ServiceProfileStore serviceProfileStore(Database database) {
    return new SqlServiceProfiles(database);
  }

  @Produces
  @Singleton
  ServiceProfiles serviceProfiles(ServiceProfileStore store, MeterRegistry meters) {
    Counter unreadable =
        Counter.builder("cotenant.service.profiles.unreadable")
            .description("Stored service profiles that could not be read and do not count")
            .register(meters);
    return new ServiceProfiles(
        store,
        (stored, why) -> {
          unreadable.increment();
          if (unreadable.count() <= LOGGED || unreadable.count() % LOGGED == 0) {
            LOG.warnf(
                "The stored %s profile %s of namespace '%s' does not count, store it again: %s",
                stored.kind(), stored.name(), stored.namespace(), why);
          }
        });
  }

  @Produces
  @Singleton
  SpeedMemory speedMemory(SpeedStore store, Engine engine) {
    SpeedMemory memory = new SpeedMemory(store, InstantSource.system());
    engine.replaceRisks(memory);
    return memory;
  }

  @Produces
  @Singleton
  SpeedReports speedReports(CapacityLedger capacity, SpeedStore store) {
    return new SpeedReports(capacity::withGrants, store, InstantSource.system());
  }
}
