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
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.InstantSource;

/** Makes the parts that hold what was measured of speeds and services. */
final class SpeedComposition {
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
  ServiceProfiles serviceProfiles(ServiceProfileStore store) {
    return new ServiceProfiles(store);
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
