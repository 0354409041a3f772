package dev.cotenant.service.configuration;

import dev.cotenant.admission.policy.Policies;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.engine.EngineSettings;
import dev.cotenant.engine.model.FolderDescriptions;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.llm.source.AllowedUrls;
import dev.cotenant.service.history.HistoryRecorder.Retention;
import dev.cotenant.service.origin.OriginSettings;
import dev.cotenant.service.store.DatabaseSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The configuration, checked and with every path resolved.
 *
 * @param recordedCluster the recorded cluster to decide about
 * @param modelDirectory models that are registered from the start
 * @param languageModels folders of the language models that pods name
 * @param modelUrls below which headers of the language models that pods name are read
 * @param regressorPlugin folder of the jars that read users' regressors
 * @param devices GPUs beside the built-in ones
 * @param dataDirectory where the service keeps its files
 * @param database store of models, profiles and predictors
 * @param databaseInterval poll interval of the database
 * @param maxUploadBytes the largest model that is taken
 * @param policies policies by namespace
 * @param webhook the webhook port
 * @param allocatedTtl how long a grant waits for its pod
 * @param unschedulableAfter time after which a granted pod that its scheduler refuses is handled
 * @param maxMetricAge age beyond which a used-memory sample is stale
 * @param prometheus the server that used memory is read from; empty reads the recording
 * @param refreshInterval between two readings of it
 * @param forecasting which forecast decides, and how
 * @param rest the tokens of REST's callers, beside those of the cluster
 * @param origin whom REST takes for local, and by which names the service may be called
 * @param decisionHistory length of the decision history
 * @param history how much is stored of what the cluster looked like
 * @param measurementRetention maximum age of measurements in namespaces
 * @param telemetry log lines and traces
 * @param kubernetes the cluster whose pods are gated and ungated; empty where there is none
 */
public record ServiceSettings(
    Path recordedCluster,
    Path modelDirectory,
    FolderDescriptions.Folders languageModels,
    AllowedUrls modelUrls,
    Optional<Path> regressorPlugin,
    Devices devices,
    Path dataDirectory,
    DatabaseSettings database,
    Duration databaseInterval,
    long maxUploadBytes,
    Policies policies,
    Webhook webhook,
    Duration allocatedTtl,
    Duration unschedulableAfter,
    Duration maxMetricAge,
    Optional<PrometheusSettings> prometheus,
    Duration refreshInterval,
    EngineSettings.Forecasting forecasting,
    Rest rest,
    OriginSettings origin,
    int decisionHistory,
    Retention history,
    Duration measurementRetention,
    Telemetry telemetry,
    Optional<KubernetesSettings> kubernetes) {

  /** Within which limits workloads share where no policy and no product makes an exception. */
  public SharingLimits limits() {
    return policies.standard().limits().standard();
  }

  /**
   * GPUs beside the built-in ones.
   *
   * @param file CSV file of devices
   * @param refreshInterval poll interval of the file
   * @param prices of a GPU hour, by device
   * @param currency in which these are; empty where nobody says
   */
  public record Devices(
      Optional<Path> file,
      Duration refreshInterval,
      Map<String, Double> prices,
      Optional<String> currency) {
    public Devices {
      prices = Map.copyOf(prices);
    }
  }

  /** The form of log lines. */
  public enum LogFormat {
    TEXT,
    JSON
  }

  /**
   * Log lines and traces.
   *
   * @param logs form of the log lines
   * @param collector base URL of the collector of traces; empty for none
   * @param share of the reviews that are traced, 0 to 1
   */
  public record Telemetry(LogFormat logs, Optional<URI> collector, double share) {}

  /**
   * Tokens that the service itself knows.
   *
   * @param token of an operator
   * @param tokensFile tokens with roles
   */
  public record Rest(Optional<String> token, Optional<Path> tokensFile) {}

  /**
   * Where the webhooks listen and whom they trust.
   *
   * @param host address
   * @param port 0 takes a free one
   * @param serviceAccount the only user who may change what Cotenant writes
   * @param certificateInterval poll interval of the certificate's files
   * @param clients who may call them; empty for every client
   */
  public record Webhook(
      String host,
      int port,
      String serviceAccount,
      Duration certificateInterval,
      Optional<Clients> clients) {}

  /**
   * API servers, by their certificates.
   *
   * @param authority PEM file of those who sign them
   * @param names common names that are let in; empty for every one
   */
  public record Clients(Path authority, Set<String> names) {
    public Clients {
      names = Set.copyOf(names);
    }
  }
}
