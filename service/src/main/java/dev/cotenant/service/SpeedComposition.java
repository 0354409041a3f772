package dev.cotenant.service;

import dev.cotenant.engine.Engine;
import dev.cotenant.engine.risk.SpeedMemory;
import dev.cotenant.engine.risk.SpeedStore;
import dev.cotenant.service.cluster.LiveCluster;
import dev.cotenant.service.cluster.SpeedReports;
import dev.cotenant.service.gate.KubernetesParts;
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
    SpeedMemory memory = new SpeedMemory(store);
    engine.replaceRisks(memory);
    return memory;
  }

  @Produces
  @Singleton
  SpeedReports speedReports(LiveCluster cluster, KubernetesParts kubernetes, SpeedStore store) {
    return new SpeedReports(
        LifeCycleComposition.granted(cluster, kubernetes), store, InstantSource.system());
  }
}
