package dev.cotenant.service.configuration;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Every key that starts with {@code cotenant.}; docs/configuration.md is its table.
 *
 * <p>One root over one interface a concern, because only then does an unknown key anywhere below
 * {@code cotenant.} stop startup.
 */
@ConfigMapping(prefix = "cotenant")
public interface CotenantConfiguration {
  /** Base directory of relative paths. */
  @WithDefault(".")
  Path home();

  Cluster cluster();

  Models models();

  Devices devices();

  Data data();

  Database database();

  Upload upload();

  PolicyConfiguration policy();

  /** By name. */
  Map<String, PolicyConfiguration.Named> policies();

  WebhookConfiguration webhook();

  OverloadConfiguration server();

  Ledger ledger();

  Gate gate();

  Metrics metrics();

  PrometheusConfiguration prometheus();

  ForecastConfiguration forecast();

  Rest rest();

  Decisions decisions();

  History history();

  Measurements measurements();

  Log log();

  Traces traces();

  KubernetesConfiguration kubernetes();

  /** The cluster of decisions. */
  interface Cluster {
    /** A recorded cluster (JSON). */
    @WithDefault("examples/clusters/busy.json")
    Path recorded();
  }

  /** Models that are registered at the start. */
  interface Models {
    /** Every NAME.onnx in it is registered under NAME. */
    @WithDefault("examples/models")
    Path directory();

    /** Cache of Hugging Face, or a folder of ORGANISATION/NAME, whose models pods name. */
    Optional<Path> hub();

    /** Folders of language models as PATH=DIRECTORY, by the paths where pods mount them. */
    Optional<List<String>> folders();

    /** HTTPS addresses below which headers of language models are read, on public hosts. */
    Optional<List<String>> urls();

    /** As above for hosts with private addresses. */
    Optional<List<String>> privateUrls();

    /** Folder with the jars of predictor-plugin and ONNX Runtime, for users' regressors. */
    Optional<Path> regressorPlugin();
  }

  /** GPUs beside the built-in ones. */
  interface Devices {
    /** A CSV file of devices. */
    Optional<Path> file();

    /** Poll interval of the file. */
    @WithDefault("10s")
    Duration refreshInterval();

    /** Of a GPU hour, as DEVICE=PRICE. */
    Optional<List<String>> prices();

    /** Of the prices. */
    Optional<String> currency();
  }

  /** What the cluster looked like. */
  interface History {
    /** Maximum age. */
    @WithDefault("8d")
    Duration retention();

    /** Largest number of stored minutes of GPUs. */
    @WithDefault("3000000")
    long gpuRows();
  }

  /** What was measured in namespaces. */
  interface Measurements {
    /** Maximum age. */
    @WithDefault("180d")
    Duration retention();
  }

  /** The service's own files. */
  interface Data {
    /** Embedded database, uploads in progress and the self-signed certificate. */
    @WithDefault(".cotenant")
    Path directory();
  }

  /** Store of models, profiles and predictors. */
  interface Database {
    /** Of PostgreSQL; without one a database in the data directory is used. */
    Optional<String> url();

    /** User of the connections. */
    Optional<String> user();

    /** The user's password. */
    Optional<String> password();

    /** Poll interval for changes by other replicas. */
    @WithDefault("2s")
    Duration refreshInterval();
  }

  /** Uploaded models. */
  interface Upload {
    /** Largest accepted ONNX file. */
    @WithDefault("256M")
    MemorySize maxSize();
  }

  /** Granted capacity. */
  interface Ledger {
    /** Time that a grant waits for its pod. */
    @WithDefault("2m")
    Duration allocatedTtl();
  }

  /** Gated pods. */
  interface Gate {
    /** Time after which a granted pod that its scheduler refuses is handled. */
    @WithDefault("1m")
    Duration unschedulableAfter();
  }

  /** Used-memory samples. */
  interface Metrics {
    /** Age beyond which the newest sample is stale. */
    @WithDefault("2m")
    Duration maxAge();
  }

  /** Access to REST. */
  interface Rest {
    /** The token of an operator. */
    Optional<String> token();

    /** Tokens with roles, by their digests. */
    Optional<Path> tokensFile();

    /** Whether callers on this machine need no token. */
    @WithDefault("true")
    boolean trustLoopback();

    /** Host names of the service, beside localhost and its listen addresses. */
    Optional<Set<String>> allowedHosts();
  }

  /** Log lines. */
  interface Log {
    /** Lines of text, or a JSON object a line. */
    @WithDefault("text")
    ServiceSettings.LogFormat format();
  }

  /** Traces of pods by OpenTelemetry. */
  interface Traces {
    /** Base URL of a collector for OTLP over HTTP. */
    Optional<String> endpoint();

    /** Share of the reviews that are traced. */
    @WithDefault("1")
    double share();
  }

  /** Decision history. */
  interface Decisions {
    /** Its length. */
    @WithDefault("500")
    int history();
  }
}
