package dev.cotenant.service;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.fleet.Fleets;
import dev.cotenant.engine.model.LanguageModelRuns;
import dev.cotenant.engine.plan.FleetPlanner;
import dev.cotenant.engine.plan.ModelSource;
import dev.cotenant.engine.serving.ServiceProfiles;
import dev.cotenant.engine.serving.ServingMemory;
import dev.cotenant.engine.serving.ServingStore;
import dev.cotenant.service.chargeback.Chargeback;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.fleet.FleetPoller;
import dev.cotenant.service.gate.GateControllerRuntime;
import dev.cotenant.service.gate.KubernetesParts;
import dev.cotenant.service.serving.EngineFeedback;
import dev.cotenant.service.serving.EngineMetrics;
import dev.cotenant.service.serving.EngineSeries;
import dev.cotenant.service.serving.KvCaches;
import dev.cotenant.service.serving.Recommendations;
import dev.cotenant.service.serving.ServingReports;
import dev.cotenant.service.store.Database;
import dev.cotenant.service.store.SqlFleets;
import dev.cotenant.service.store.SqlServing;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/** Makes the parts that learn constants of servers of language models, and that watch fleets. */
final class ServingComposition {
  @Produces
  @Singleton
  ServingStore servingStore(Database database) {
    return new SqlServing(database);
  }

  @Produces
  @Singleton
  ServingMemory servingMemory(ServingStore store) {
    return new ServingMemory(store, InstantSource.system());
  }

  @Produces
  @Singleton
  ServingReports servingReports(LanguageModelRuns models, Engine engine, ServingStore store) {
    return new ServingReports(models, engine::devices, store, InstantSource.system());
  }

  @Produces
  @Singleton
  KvCaches kvCaches(
      ServiceSettings settings, KubernetesParts kubernetes, LanguageModelRuns models) {
    return new KvCaches(
        settings.prometheus(), () -> view(kubernetes), models, InstantSource.system());
  }

  @Produces
  @Singleton
  Recommendations recommendations(
      ServiceSettings settings, KubernetesParts kubernetes, Engine engine) {
    Map<String, Double> prices = settings.devices().prices();
    return new Recommendations(
        settings.prometheus(),
        () -> view(kubernetes),
        product ->
            engine
                .devices()
                .names()
                .find(product, MemorySize.ZERO)
                .map(device -> prices.get(device.id().value()))
                .orElse(Double.NaN),
        InstantSource.system());
  }

  @Produces
  @Singleton
  Chargeback chargeback(KubernetesParts kubernetes) {
    return new Chargeback(() -> view(kubernetes));
  }

  @Produces
  @Singleton
  Fleets fleets(
      Database database,
      FleetPlanner planner,
      ServiceProfiles profiles,
      ModelSource models,
      ServiceSettings settings) {
    return new Fleets(
        new SqlFleets(database),
        new Fleets.Understanding(
            planner, () -> profiles.book(ServiceProfiles.EVERY_NAMESPACE), models),
        settings.prometheus(),
        InstantSource.system());
  }

  @Produces
  @Singleton
  FleetPoller fleetPoller(Fleets fleets, MeterRegistry meters) {
    return new FleetPoller(fleets::due, meters);
  }

  private static GateView view(KubernetesParts kubernetes) {
    return kubernetes.gate().map(GateControllerRuntime::view).orElse(GateView.NOT_LEADING);
  }

  /** Reads nothing without a metrics server, and is not started then. */
  @Produces
  @Singleton
  EngineFeedback engineFeedback(
      ServiceSettings settings,
      KubernetesParts kubernetes,
      ServingReports reports,
      MeterRegistry meters) {
    Optional<EngineMetrics> server = settings.prometheus().map(EngineSeries::new);
    return new EngineFeedback(
        server.orElse(EngineMetrics.NONE),
        new EngineFeedback.Gate(
            () -> view(kubernetes),
            serving -> kubernetes.gate().ifPresent(gate -> gate.serving(serving))),
        reports,
        meters,
        InstantSource.system());
  }
}
