package dev.cotenant.service;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.service.cluster.Control;
import dev.cotenant.service.cluster.LiveCluster;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.decisions.DecisionHistory;
import dev.cotenant.service.decisions.DecisionLog;
import dev.cotenant.service.evidence.DriftStore;
import dev.cotenant.service.evidence.EvidenceCounts;
import dev.cotenant.service.history.Consolidation;
import dev.cotenant.service.history.HistoryRecorder;
import dev.cotenant.service.history.HistoryStore;
import dev.cotenant.service.history.LiveState;
import dev.cotenant.service.history.MeasuredHarm;
import dev.cotenant.service.replay.ReplayStore;
import dev.cotenant.service.rest.decision.DecisionEntries;
import dev.cotenant.service.rest.history.EventStreams;
import dev.cotenant.service.rest.replay.StoredReplays;
import dev.cotenant.service.store.Database;
import dev.cotenant.service.store.SqlDecisions;
import dev.cotenant.service.store.SqlDrift;
import dev.cotenant.service.store.SqlEvidence;
import dev.cotenant.service.store.SqlHistory;
import dev.cotenant.service.store.SqlReplays;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.InstantSource;

/** Creates the parts for the cluster's current state and history. */
final class HistoryComposition {
  @Produces
  @Singleton
  HistoryStore historyStore(Database database) {
    return new SqlHistory(database);
  }

  @Produces
  @Singleton
  DecisionLog decisionLog(Database database, ServiceSettings settings) {
    return new DecisionLog(
        new SqlDecisions(database),
        DecisionEntries::of,
        settings.history().time(),
        InstantSource.system());
  }

  @Produces
  @Singleton
  DriftStore driftStore(Database database) {
    return new SqlDrift(database);
  }

  @Produces
  @Singleton
  ReplayStore replayStore(Database database) {
    return new SqlReplays(database);
  }

  @Produces
  @Singleton
  StoredReplays storedReplays(ReplayStore store, ObjectMapper json) {
    return new StoredReplays(store, json);
  }

  @Produces
  @Singleton
  EvidenceCounts evidence(Database database, Instance<Serving> serving, Engine engine) {
    return new EvidenceCounts(
        new SqlEvidence(database),
        row ->
            serving
                .get()
                .predictor()
                .predict(
                    row.features(), row.settings(), engine.devices().require(row.device().value())),
        InstantSource.system());
  }

  @Produces
  @Singleton
  LiveState liveState(Control control, ServiceSettings settings, Engine engine, MeasuredHarm harm) {
    return new LiveState(
        control,
        new LiveState.Terms(
            settings.limits(),
            settings.devices().prices(),
            (device, tenants) -> engine.decider().standing(device, tenants).slowdown().ratio(),
            new Consolidation(engine.decider(), control.policies()),
            harm),
        InstantSource.system());
  }

  @Produces
  @Singleton
  HistoryRecorder historyRecorder(LiveState state, HistoryStore store, ServiceSettings settings) {
    return new HistoryRecorder(
        () -> state.now().cluster(), store, settings.history(), InstantSource.system());
  }

  @Produces
  @Singleton
  EventStreams eventStreams(
      LiveState state,
      LiveCluster cluster,
      ServiceSettings settings,
      DecisionHistory decisions,
      Serving serving) {
    return new EventStreams(
        state,
        new EventStreams.Sources(
            cluster.readings(),
            settings.limits(),
            decisions,
            () -> serving.served().label(),
            settings.devices(),
            settings.forecasting().decisionHorizon()));
  }
}
