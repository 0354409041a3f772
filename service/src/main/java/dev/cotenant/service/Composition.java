package dev.cotenant.service;

import dev.cotenant.admission.AdmissionWebhooks;
import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.fill.FillOomKills;
import dev.cotenant.admission.gate.port.OomBackoff;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.admission.webhook.AdmissionPorts;
import dev.cotenant.admission.webhook.AdmissionSettings;
import dev.cotenant.admission.webhook.RandomIds;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.prediction.AdjustedPredictor;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.EngineSettings;
import dev.cotenant.engine.cluster.PolledReadings;
import dev.cotenant.engine.cluster.ReadingsSource;
import dev.cotenant.engine.cluster.RecordedCluster;
import dev.cotenant.engine.cluster.RecordedReadings;
import dev.cotenant.engine.lifetime.ExpectedLifetimes;
import dev.cotenant.engine.lifetime.PodLifetimes;
import dev.cotenant.engine.model.LanguageModelRuns;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModelPredictor;
import dev.cotenant.engine.path.PredictionPath;
import dev.cotenant.engine.plan.FleetPlanner;
import dev.cotenant.engine.plan.ModelSource;
import dev.cotenant.engine.rate.RequestRates;
import dev.cotenant.engine.serving.ProfiledServices;
import dev.cotenant.engine.serving.ServiceProfiles;
import dev.cotenant.forecast.prometheus.PrometheusClient;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.service.cluster.LiveCluster;
import dev.cotenant.service.cluster.MetricsPoller;
import dev.cotenant.service.cluster.ProfiledRuns;
import dev.cotenant.service.cluster.ShadowRuns;
import dev.cotenant.service.cluster.StandingGauges;
import dev.cotenant.service.configuration.CotenantConfiguration;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.configuration.SettingsReader;
import dev.cotenant.service.decisions.AdmissionObserver;
import dev.cotenant.service.decisions.DecisionHistory;
import dev.cotenant.service.decisions.DecisionLog;
import dev.cotenant.service.decisions.DecisionRecorder;
import dev.cotenant.service.decisions.PredictionCounter;
import dev.cotenant.service.decisions.WhatIf;
import dev.cotenant.service.devices.KnownDevices;
import dev.cotenant.service.evidence.EvidenceCounts;
import dev.cotenant.service.origin.AllowedHosts;
import dev.cotenant.service.origin.LoopbackTrust;
import dev.cotenant.service.replay.ClusterReplays;
import dev.cotenant.service.rest.Uploads;
import dev.cotenant.service.rest.replay.StoredReplays;
import dev.cotenant.service.supervision.LoopMetrics;
import dev.cotenant.service.tracing.Tracing;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.MeterFilter;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Typed;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/** Makes the parts from the configuration, once. */
final class Composition {
  private static final Logger LOG = Logger.getLogger(Composition.class);
  private static final String SERVER_PORT = "server.port";
  private static final String HTTP_HOST = "quarkus.http.host";

  /** A bad value ends the start with one line, whichever part reads the settings first. */
  @Produces
  @Singleton
  ServiceSettings settings(CotenantConfiguration configuration) {
    try {
      return new SettingsReader(configuration).read();
    } catch (InputException e) {
      throw new ConfigurationException("cotenant: " + e.getMessage());
    }
  }

  @Produces
  @Singleton
  Exposure exposure(ServiceSettings settings, @ConfigProperty(name = HTTP_HOST) String httpHost) {
    return new Exposure(settings, httpHost, System.getenv());
  }

  @Produces
  @Singleton
  LoopbackTrust loopback(ServiceSettings settings) {
    return settings.origin().loopback();
  }

  @Produces
  @Singleton
  AllowedHosts allowedHosts(
      ServiceSettings settings, @ConfigProperty(name = HTTP_HOST) String httpHost) {
    List<String> names = new ArrayList<>(settings.origin().allowedHosts());
    names.add(httpHost);
    names.add(settings.webhook().host());
    return new AllowedHosts(names);
  }

  @Produces
  @Singleton
  KnownDevices devices(ServiceSettings settings) {
    return new KnownDevices(settings.devices().file(), settings.policies());
  }

  @Produces
  @Singleton
  Engine engine(ServiceSettings settings, KnownDevices devices) {
    return Engine.standard(
        EngineSettings.DEFAULT
            .withDevices(devices.read())
            .withMaxMetricAge(settings.maxMetricAge())
            .withForecasting(settings.forecasting()));
  }

  @Produces
  @Singleton
  ModelRegistry models(Engine engine, ServiceSettings settings) {
    ModelRegistry registry = ModelRegistry.of(engine);
    warn(registry.loadDirectory(settings.modelDirectory()));
    return registry;
  }

  @Produces
  @Singleton
  Supervisor supervisor(MeterRegistry meters) {
    return LoopMetrics.supervisor(meters);
  }

  void end(@Disposes Supervisor supervisor) {
    supervisor.close();
  }

  private static void warn(List<String> rejected) {
    rejected.forEach(line -> LOG.warnf("Model not registered: %s", line));
  }

  /**
   * The framework tags a server's metrics with its port unless that is any free one, and Prometheus
   * refuses metrics of one name with different tags: such a port is tagged {@code any}.
   */
  @Produces
  @Singleton
  MeterFilter serverPorts() {
    return new MeterFilter() {
      @Override
      public Meter.Id map(Meter.Id id) {
        return id.getName().startsWith("http.server.") && id.getTag(SERVER_PORT) == null
            ? id.withTag(Tag.of(SERVER_PORT, "any"))
            : id;
      }
    };
  }

  @Produces
  @Singleton
  @Typed(RegisteredModelPredictor.class)
  RegisteredModelPredictor registered(
      ModelRegistry registry, Engine engine, LanguageModelRuns languageModels) {
    return new RegisteredModelPredictor(registry, engine, languageModels);
  }

  @Produces
  @Singleton
  OomBackoff backoff() {
    return new OomBackoff(InstantSource.system());
  }

  /** For predictions without a decision about a pod: counts nothing. */
  @Produces
  @Singleton
  @Typed(AdjustedPredictor.class)
  AdjustedPredictor adjusted(
      RegisteredModelPredictor registered,
      ServiceProfiles profiles,
      PodLifetimes lifetimes,
      RequestRates rates,
      OomBackoff backoff,
      ServiceSettings settings) {
    return PredictionPath.ofPods(
        registered,
        new PredictionPath.Known(
            rates,
            new ProfiledServices(profiles),
            new ExpectedLifetimes(lifetimes, settings.forecasting().expectedStay()),
            backoff));
  }

  @Produces
  @Singleton
  WorkloadPredictor predictor(AdjustedPredictor adjusted, PredictionCounter counter) {
    return adjusted.observedBy(counter::count);
  }

  @Produces
  @Singleton
  FleetPlanner planning(Engine engine) {
    return FleetPlanner.standard(engine);
  }

  @Produces
  @Singleton
  ModelSource planned(RegisteredModelPredictor registered) {
    return registered::features;
  }

  @Produces
  @Singleton
  PredictionCounter predictionCounter(MeterRegistry meters) {
    return new PredictionCounter(meters);
  }

  @Produces
  @Singleton
  Ledger ledger(ServiceSettings settings, MeterRegistry meters) {
    InstantSource clock = InstantSource.system();
    Ledger ledger =
        settings.kubernetes().isPresent()
            ? new Ledger(clock, settings.allocatedTtl(), Ledger.Creation.IN_CLUSTER)
            : new Ledger(clock, settings.allocatedTtl());
    new StandingGauges(meters).show(ledger);
    return ledger;
  }

  @Produces
  @Singleton
  LiveCluster cluster(ReadingsSource readings, Engine engine, Ledger ledger) {
    return new LiveCluster(readings, engine, ledger);
  }

  /** A metrics server where one is configured, else the recording. */
  @Produces
  @Singleton
  ReadingsSource readings(
      ServiceSettings settings, Engine engine, MeterRegistry meters, Polling polling) {
    return settings
        .prometheus()
        .<ReadingsSource>map(server -> {
          PrometheusClient client = new PrometheusClient(server);
          PolledReadings polled =
              engine.poll(client::read, server.url().toString(), InstantSource.system());
          polling.begin(
              new MetricsPoller(client, polled, meters, longestReading(server)),
              settings.refreshInterval());
          return polled;
        })
        .orElseGet(() -> {
          RecordedCluster recorded = engine.readCluster(settings.recordedCluster());
          RecordedReadings readings = new RecordedReadings(recorded, engine.snapshot(recorded));
          new StandingGauges(meters).show(readings);
          return readings;
        });
  }

  /** Reads measurements of one GPU in a past window; nothing without a metrics server. */
  @Produces
  @Singleton
  ProfiledRuns.WindowReader windows(ServiceSettings settings, Engine engine) {
    return settings
        .prometheus()
        .<ProfiledRuns.WindowReader>map(server -> {
          PrometheusClient client = new PrometheusClient(server);
          return (uuid, from, to) -> engine.readGpu(client.read(uuid, from, to));
        })
        .orElse(ProfiledRuns.WindowReader.NONE);
  }

  /** Both requests late, and five seconds for what came. */
  private static Duration longestReading(PrometheusSettings server) {
    return server.limits().requestTimeout().multipliedBy(2).plusSeconds(5);
  }

  @Produces
  @Singleton
  DecisionHistory history(ServiceSettings settings) {
    return new DecisionHistory(settings.decisionHistory());
  }

  @Produces
  @Singleton
  AdmissionPorts admissionPorts(
      LiveCluster cluster,
      WorkloadPredictor predictor,
      Engine engine,
      AdmissionObserver observer,
      FillOomKills fillOomKills,
      Tracing tracing) {
    return new AdmissionPorts(
        new DecisionPorts(
            cluster, predictor, engine.decider(), InstantSource.system(), tracing.spans()),
        tracing.listening(observer),
        tracing.ids(new RandomIds()),
        fillOomKills);
  }

  @Produces
  @Singleton
  AdmissionObserver observer(MeterRegistry meters, DecisionRecorder recorder, ShadowRuns shadow) {
    return new AdmissionObserver(meters, recorder.andThen(shadow::decided));
  }

  @Produces
  @Singleton
  DecisionRecorder recorder(DecisionHistory history, EvidenceCounts evidence, DecisionLog log) {
    return new DecisionRecorder(history, evidence, log);
  }

  @Produces
  @Singleton
  AdmissionWebhooks webhooks(AdmissionPorts ports, ServiceSettings settings, Ledger ledger) {
    return new AdmissionWebhooks(
        ports,
        new AdmissionSettings(settings.policies(), settings.webhook().serviceAccount()),
        ledger);
  }

  @Produces
  @Singleton
  PodDecisions podDecisions(AdmissionPorts ports, ServiceSettings settings, Ledger ledger) {
    return new PodDecisions(ports.decisions(), settings.policies(), ledger);
  }

  @Produces
  @Singleton
  WhatIf whatIf(CapacityLedger capacity, PodDecisions decisions) {
    return new WhatIf(capacity, decisions);
  }

  @Produces
  @Singleton
  ClusterReplays replays(ServiceSettings settings, Engine engine, StoredReplays stored) {
    return new ClusterReplays(
        settings.prometheus(), engine, settings.limits(), stored::put, InstantSource.system());
  }

  void end(@Disposes ClusterReplays replays) {
    replays.close();
  }

  @Produces
  @Singleton
  Uploads uploads(ServiceSettings settings) {
    return new Uploads(uploadDirectory(settings), settings.maxUploadBytes());
  }

  static Path uploadDirectory(ServiceSettings settings) {
    return settings.dataDirectory().resolve("uploads");
  }
}
