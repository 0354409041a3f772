package dev.cotenant.service;

import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.admission.fill.FillOomKills;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.lifetime.LifetimeStore;
import dev.cotenant.engine.lifetime.PodLifetimes;
import dev.cotenant.engine.rate.RateStore;
import dev.cotenant.engine.rate.RequestRates;
import dev.cotenant.engine.risk.SpeedMemory;
import dev.cotenant.engine.risk.SpeedStore;
import dev.cotenant.engine.serving.ServiceProfileStore;
import dev.cotenant.engine.serving.ServiceProfiles;
import dev.cotenant.forecast.prometheus.PrometheusClient;
import dev.cotenant.service.cluster.ActivitySpeeds;
import dev.cotenant.service.cluster.DurationSpeeds;
import dev.cotenant.service.cluster.EndedRuns;
import dev.cotenant.service.cluster.GpuActivity;
import dev.cotenant.service.cluster.GuardSamples;
import dev.cotenant.service.cluster.HourlyRates;
import dev.cotenant.service.cluster.ProfiledSpeeds;
import dev.cotenant.service.cluster.SpeedQueries;
import dev.cotenant.service.cluster.SpeedReports;
import dev.cotenant.service.cluster.SpeedWatch;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.gate.GateControllerRuntime;
import dev.cotenant.service.gate.KubernetesParts;
import dev.cotenant.service.history.MeasuredHarm;
import dev.cotenant.service.store.Database;
import dev.cotenant.service.store.SqlFillOomKills;
import dev.cotenant.service.store.SqlLifetimes;
import dev.cotenant.service.store.SqlRates;
import dev.cotenant.service.store.SqlServiceProfiles;
import dev.cotenant.service.store.SqlSpeeds;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import java.util.Optional;
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
  LifetimeStore lifetimeStore(Database database) {
    return new SqlLifetimes(database);
  }

  @Produces
  @Singleton
  PodLifetimes lifetimes(LifetimeStore store) {
    return new PodLifetimes(store);
  }

  @Produces
  @Singleton
  RateStore rateStore(Database database) {
    return new SqlRates(database);
  }

  @Produces
  @Singleton
  RequestRates requestRates(RateStore store) {
    return new RequestRates(store, InstantSource.system());
  }

  @Produces
  @Singleton
  HourlyRates hourlyRates(
      SpeedWatch.ValueReader metrics,
      KubernetesParts kubernetes,
      RateStore store,
      MeterRegistry meters) {
    return new HourlyRates(metrics, () -> view(kubernetes), store, meters, InstantSource.system());
  }

  @Produces
  @Singleton
  FillOomKills fillOomKills() {
    return new FillOomKills(InstantSource.system());
  }

  @Produces
  @Singleton
  SqlFillOomKills storedFillOomKills(Database database, FillOomKills kills) {
    return new SqlFillOomKills(database, kills, InstantSource.system());
  }

  @Produces
  @Singleton
  EndedRuns endedRuns(KubernetesParts kubernetes, LifetimeStore store, MeterRegistry meters) {
    return new EndedRuns(() -> view(kubernetes), store, meters, InstantSource.system());
  }

  @Produces
  @Singleton
  DurationSpeeds durationSpeeds(
      KubernetesParts kubernetes, SpeedStore store, MeterRegistry meters) {
    return new DurationSpeeds(() -> view(kubernetes), store, meters);
  }

  @Produces
  @Singleton
  ActivitySpeeds activitySpeeds(
      SpeedWatch.ValueReader metrics,
      KubernetesParts kubernetes,
      SpeedReports reports,
      ServiceSettings settings,
      MeterRegistry meters) {
    return new ActivitySpeeds(
        metrics,
        () -> view(kubernetes),
        reports::add,
        activity(settings),
        meters,
        InstantSource.system());
  }

  private static GpuActivity activity(ServiceSettings settings) {
    return new GpuActivity(
        settings.prometheus().map(server -> server.metrics().matchers()).orElse(""));
  }

  private static SpeedQueries queries(ServiceSettings settings) {
    return new SpeedQueries(namespace ->
        Optional.ofNullable(settings.policies().of(namespace).measuring().speedQuery())
            .map(query -> query::promQl));
  }

  @Produces
  @Singleton
  ProfiledSpeeds profiledSpeeds(
      SpeedWatch.ValueReader metrics,
      KubernetesParts kubernetes,
      SpeedReports reports,
      ServiceSettings settings,
      MeterRegistry meters) {
    return new ProfiledSpeeds(
        metrics,
        queries(settings),
        activity(settings),
        () -> view(kubernetes),
        reports,
        meters,
        InstantSource.system());
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
  SpeedReports speedReports(CapacityLedger capacity, SpeedStore store, GuardSamples guard) {
    return new SpeedReports(capacity::withGrants, store, InstantSource.system(), guard::reported);
  }

  @Produces
  @Singleton
  GuardSamples guardSamples(KubernetesParts kubernetes, SpeedMemory speeds, MeasuredHarm harm) {
    return new GuardSamples(
        () -> view(kubernetes),
        speeds,
        samples -> {
          harm.measured(samples);
          kubernetes.gate().ifPresent(gate -> gate.measured(samples));
        });
  }

  @Produces
  @Singleton
  MeasuredHarm harm(KubernetesParts kubernetes) {
    return new MeasuredHarm(() -> view(kubernetes));
  }

  private static GateView view(KubernetesParts kubernetes) {
    return kubernetes.gate().map(GateControllerRuntime::view).orElse(GateView.NOT_LEADING);
  }

  /** Single numbers of the metrics server; none without one. */
  @Produces
  @Singleton
  SpeedWatch.ValueReader values(ServiceSettings settings) {
    return settings
        .prometheus()
        .<SpeedWatch.ValueReader>map(server -> new PrometheusClient(server)::value)
        .orElse(SpeedWatch.ValueReader.NONE);
  }

  @Produces
  @Singleton
  SpeedWatch speedWatch(
      SpeedWatch.ValueReader metrics,
      KubernetesParts kubernetes,
      SpeedReports reports,
      GuardSamples guard,
      ServiceSettings settings,
      MeterRegistry meters) {
    return new SpeedWatch(
        metrics,
        queries(settings),
        () -> view(kubernetes),
        reports,
        guard,
        meters,
        InstantSource.system());
  }
}
