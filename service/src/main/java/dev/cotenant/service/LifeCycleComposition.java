package dev.cotenant.service;

import dev.cotenant.admission.capacity.LocalCapacityLedger;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.prediction.AdjustedPredictor;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.cluster.ReadingsSource;
import dev.cotenant.engine.lifecycle.BaseModel;
import dev.cotenant.engine.lifecycle.Forecasts;
import dev.cotenant.engine.lifecycle.KnownVersions;
import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.engine.lifecycle.Promotions;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.engine.lifecycle.Trainings;
import dev.cotenant.engine.lifetime.PodLifetimes;
import dev.cotenant.engine.model.FolderDescriptions;
import dev.cotenant.engine.model.LanguageModelRuns;
import dev.cotenant.engine.model.ModelQuota;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.path.PredictionPath;
import dev.cotenant.engine.profile.StoredRuns;
import dev.cotenant.engine.rate.RequestRates;
import dev.cotenant.engine.risk.SpeedMemory;
import dev.cotenant.engine.serving.ServiceProfiles;
import dev.cotenant.engine.serving.ServingMemory;
import dev.cotenant.llm.source.UrlReader;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.service.cluster.ActiveGrant;
import dev.cotenant.service.cluster.ActivitySpeeds;
import dev.cotenant.service.cluster.ClusterFeedback;
import dev.cotenant.service.cluster.DriftWatch;
import dev.cotenant.service.cluster.DurationSpeeds;
import dev.cotenant.service.cluster.EndedRuns;
import dev.cotenant.service.cluster.GrantAudit;
import dev.cotenant.service.cluster.HourlyRates;
import dev.cotenant.service.cluster.LiveCluster;
import dev.cotenant.service.cluster.ProfiledRuns;
import dev.cotenant.service.cluster.ProfiledSpeeds;
import dev.cotenant.service.cluster.ShadowRuns;
import dev.cotenant.service.cluster.SpeedReports;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.decisions.DecisionLog;
import dev.cotenant.service.evidence.DriftStore;
import dev.cotenant.service.evidence.EvidenceCounts;
import dev.cotenant.service.gate.KubernetesParts;
import dev.cotenant.service.history.HistoryRecorder;
import dev.cotenant.service.lifecycle.LifeCyclePoller;
import dev.cotenant.service.lifecycle.MeasurementExpiry;
import dev.cotenant.service.lifecycle.ServedForecast;
import dev.cotenant.service.lifecycle.SharedModels;
import dev.cotenant.service.store.Database;
import dev.cotenant.service.store.SqlFillOomKills;
import dev.cotenant.service.store.SqlGpuClaims;
import dev.cotenant.service.store.SqlMeasurements;
import dev.cotenant.service.store.SqlModelStore;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/** Makes the parts that store, train and serve predictors and models. */
final class LifeCycleComposition {
  private static final Logger LOG = Logger.getLogger(LifeCycleComposition.class);

  @Produces
  @Singleton
  Database database(ServiceSettings settings) {
    return Database.of(settings.database());
  }

  @Produces
  @Singleton
  ModelStore store(Database database, Engine engine) {
    return new SqlModelStore(database, engine::devices);
  }

  @Produces
  @Singleton
  Serving serving(
      ModelStore store, StoredRuns measuredRuns, Engine engine, ServiceSettings settings) {
    BaseModel.Reader reader =
        settings
            .regressorPlugin()
            .map(folder -> BaseModel.Reader.withPlugin(folder, engine::devices))
            .orElse(BaseModel.Reader.STANDARD);
    Serving serving = new Serving(store, reader, Predictor.builtInFile(), InstantSource.system());
    PredictionPath.serve(engine, serving, measuredRuns);
    return serving;
  }

  @Produces
  @Singleton
  StoredRuns measuredRuns(ModelStore store) {
    return new StoredRuns(store.profiles(), InstantSource.system());
  }

  @Produces
  @Singleton
  Promotions promotions(ModelStore store, Serving serving, Engine engine) {
    return new Promotions(store, serving, engine::devices, InstantSource.system());
  }

  @Produces
  @Singleton
  Forecasts forecasts(
      ModelStore store, Engine engine, ReadingsSource readings, ServiceSettings settings) {
    return new Forecasts(
        store.forecasts(),
        new Forecasts.Use(
            engine::serveForecast, readings::readings, settings.forecasting().decisionHorizon()),
        InstantSource.system());
  }

  @Produces
  @Singleton
  ServedForecast servedForecast(Forecasts forecasts, MeterRegistry meters) {
    return new ServedForecast(forecasts, meters);
  }

  @Produces
  @Singleton
  FolderDescriptions folderDescriptions(ServiceSettings settings) {
    return new FolderDescriptions(
        settings.languageModels(),
        UrlReader.of(settings.modelUrls()),
        FolderDescriptions.Bounds.DEFAULT,
        InstantSource.system());
  }

  @Produces
  @Singleton
  LanguageModelRuns languageModelRuns(
      ModelRegistry registry, FolderDescriptions folders, ServingMemory servers) {
    return new LanguageModelRuns(registry, folders, servers::of);
  }

  @Produces
  @Singleton
  SharedModels sharedModels(ModelRegistry registry, ModelStore store, ServiceSettings settings) {
    return new SharedModels(
        registry,
        store.models(),
        Composition.uploadDirectory(settings),
        InstantSource.system(),
        ModelQuota.ofThisProcess());
  }

  @Produces
  @Singleton
  LifeCyclePoller lifeCycle(
      Serving serving, Trainings trainings, LifeCyclePoller.Chores chores, MeterRegistry meters) {
    return new LifeCyclePoller(serving, trainings, chores, meters);
  }

  @Produces
  @Singleton
  KnownVersions knownVersions(ModelStore store) {
    return new KnownVersions(store.versions(), InstantSource.system());
  }

  @Produces
  @Singleton
  LifeCyclePoller.Chores chores(
      KnownVersions versions,
      ServedForecast forecast,
      SharedModels models,
      ClusterFeedback feedback,
      ProfiledRuns profiled,
      ProfiledSpeeds profiledSpeeds,
      GrantAudit review,
      StoredRuns measuredRuns,
      SpeedMemory speeds,
      SpeedReports reports,
      ServiceProfiles services,
      PodLifetimes lifetimes,
      EndedRuns ended,
      RequestRates rates,
      HourlyRates hourlyRates,
      DurationSpeeds durations,
      ActivitySpeeds activities,
      SqlFillOomKills fillOomKills,
      ServingMemory servers,
      MeasurementExpiry expiry,
      HistoryRecorder history,
      EvidenceCounts evidence,
      ShadowRuns shadow,
      DecisionLog decisions,
      Polling polling) {
    return new LifeCyclePoller.Chores(
        List.of(
            expiry::expire,
            versions::refresh,
            forecast::refresh,
            models::refresh,
            () -> {
              if (models.readGraphs()) {
                polling.announce();
              }
            },
            measuredRuns::refresh,
            speeds::refresh,
            services::refresh,
            lifetimes::refresh,
            ended::observe,
            rates::refresh,
            hourlyRates::observe,
            fillOomKills::exchange,
            reports::observe,
            durations::observe,
            activities::observe,
            () -> {
              if (servers.refresh()) {
                polling.announce();
              }
            },
            feedback::observe,
            profiledSpeeds::observe,
            profiled::observe,
            shadow::observe,
            review::review,
            history::record,
            evidence::flush,
            decisions::flush));
  }

  @Produces
  @Singleton
  MeasurementExpiry expiry(Database database, ServiceSettings settings, MeterRegistry meters) {
    return new MeasurementExpiry(
        new SqlMeasurements(database),
        settings.measurementRetention(),
        meters,
        InstantSource.system());
  }

  @Produces
  @Singleton
  GrantAudit grantAudit(
      GrantAudit.Sources sources, KubernetesParts kubernetes, MeterRegistry meters) {
    GrantAudit.Notices notices =
        kubernetes
            .gate()
            .<GrantAudit.Notices>map(
                gate -> (grant, why) -> gate.report(grant.pod(), "OutsideLimits", why))
            .orElse((grant, why) -> LOG.warnf("Pod %s %s", grant.pod(), why));
    return new GrantAudit(sources, notices, meters);
  }

  @Produces
  @Singleton
  GrantAudit.Sources reviewed(
      Engine engine,
      LiveCluster cluster,
      KubernetesParts kubernetes,
      AdjustedPredictor predictor,
      Serving serving,
      ServiceSettings settings) {
    return new GrantAudit.Sources(
        standing(cluster, kubernetes, settings),
        granted(cluster, kubernetes),
        predictor,
        () -> serving.served().label(),
        new GrantAudit.Rules(settings.policies(), engine.decider()));
  }

  /** The cluster with all grants. */
  static Supplier<ClusterSnapshot> granted(LiveCluster cluster, KubernetesParts kubernetes) {
    return kubernetes
        .gate()
        .<Supplier<ClusterSnapshot>>map(gate -> () -> gate.view().cluster())
        .orElseGet(() -> new LocalCapacityLedger(cluster, cluster.ledger())::withGrants);
  }

  private static Supplier<List<ActiveGrant>> standing(
      LiveCluster cluster, KubernetesParts kubernetes, ServiceSettings settings) {
    return kubernetes
        .gate()
        .<Supplier<List<ActiveGrant>>>map(
            gate -> () -> ActiveGrant.of(gate.view(), settings.policies()))
        .orElse(() -> ActiveGrant.of(cluster.ledger(), settings.policies()));
  }

  @Produces
  @Singleton
  ClusterFeedback feedback(
      LiveCluster cluster,
      KubernetesParts kubernetes,
      ServiceSettings settings,
      ClusterFeedback.Sources sources,
      MeterRegistry meters) {
    return new ClusterFeedback(
        cluster.readings(), standing(cluster, kubernetes, settings), sources, meters);
  }

  @Produces
  @Singleton
  ProfiledRuns profiledRuns(
      ProfiledRuns.WindowReader windows,
      KubernetesParts kubernetes,
      ClusterFeedback.Sources sources,
      MeterRegistry meters) {
    return new ProfiledRuns(
        windows,
        () -> kubernetes.gate().map(gate -> gate.view().granted().values()).orElse(List.of()),
        sources,
        meters,
        InstantSource.system());
  }

  @Produces
  @Singleton
  ClusterFeedback.Sources feedbackSources(
      Engine engine,
      ModelRegistry models,
      ModelStore store,
      EvidenceCounts evidence,
      DriftStore drift,
      MeterRegistry meters) {
    return new ClusterFeedback.Sources(
        engine, models, store.profiles(), evidence, new DriftWatch(drift, meters));
  }

  @Produces
  @Singleton
  ShadowRuns shadowRuns(
      Database database,
      LiveCluster cluster,
      ClusterFeedback.Sources sources,
      EvidenceCounts evidence,
      ServiceSettings settings) {
    return new ShadowRuns(
        new SqlGpuClaims(database),
        cluster.readings(),
        sources,
        evidence,
        settings.devices().prices());
  }

  @Produces
  @Singleton
  Trainings trainings(ModelStore store, Serving serving, Engine engine) {
    String replica = ProcessHandle.current().pid() + "-" + UUID.randomUUID();
    return new Trainings(store, serving, engine::devices, replica, InstantSource.system());
  }
}
