package dev.cotenant.service;

import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.risk.SpeedMemory;
import dev.cotenant.engine.risk.SpeedStore;
import dev.cotenant.service.cluster.SpeedReports;
import dev.cotenant.service.store.Database;
import dev.cotenant.service.store.SqlSpeeds;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.InstantSource;

/** Makes the parts that learn risks of slowdown from measured speeds. */
final class SpeedComposition {
  @Produces
  @Singleton
  SpeedStore speedStore(Database database) {
    return new SqlSpeeds(database);
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
