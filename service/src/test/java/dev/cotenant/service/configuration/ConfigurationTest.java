package dev.cotenant.service.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.admission.policy.Filling;
import dev.cotenant.admission.policy.GuardRules;
import dev.cotenant.admission.policy.Measuring;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.QueryTemplate;
import dev.cotenant.admission.policy.TrustScope;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.decision.BoundRisk;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.EngineSettings;
import dev.cotenant.engine.ForecastPolicy;
import dev.cotenant.engine.model.FolderDescriptions;
import dev.cotenant.forecast.ResAwareSettings;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.llm.source.AllowedUrls;
import dev.cotenant.service.origin.LoopbackTrust;
import dev.cotenant.service.origin.OriginSettings;
import dev.cotenant.service.store.DatabaseSettings;
import io.quarkus.runtime.configuration.DurationConverter;
import io.quarkus.runtime.configuration.MemorySizeConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

public class ConfigurationTest {
  private static final String SPEED_QUERY =
      "sum(rate(steps{namespace=\"$namespace\",pod=\"$pod\"}[$window]))";

  static CotenantConfiguration configuration(Map<String, String> properties) {
    return new SmallRyeConfigBuilder()
        .withSources(new PropertiesConfigSource(properties, "test", 100))
        .withConverter(Duration.class, 200, new DurationConverter())
        .withConverter(
            io.quarkus.runtime.configuration.MemorySize.class, 200, new MemorySizeConverter())
        .withMapping(CotenantConfiguration.class)
        .build()
        .getConfigMapping(CotenantConfiguration.class);
  }

  /** Settings of these properties, the others with their defaults. */
  public static ServiceSettings read(Map<String, String> properties) {
    return new SettingsReader(configuration(properties)).read();
  }

  @Test
  void hasTheDocumentedDefaults() {
    ServiceSettings settings = read(Map.of("cotenant.home", "/opt/cotenant"));
    assertThat(settings.recordedCluster())
        .isEqualTo(Path.of("/opt/cotenant/examples/clusters/busy.json"));
    assertThat(settings.modelDirectory()).isEqualTo(Path.of("/opt/cotenant/examples/models"));
    assertThat(settings.dataDirectory()).isEqualTo(Path.of("/opt/cotenant/.cotenant"));
    assertThat(settings.devices())
        .isEqualTo(
            new ServiceSettings.Devices(
                Optional.empty(), Duration.ofSeconds(10), Map.of(), Optional.empty()));
    assertThat(settings.database())
        .isEqualTo(DatabaseSettings.embedded(Path.of("/opt/cotenant/.cotenant")));
    assertThat(settings.databaseInterval()).isEqualTo(Duration.ofSeconds(2));
    assertThat(settings.maxUploadBytes()).isEqualTo(268_435_456L);
    assertThat(settings.policies())
        .isEqualTo(Policies.of(Policy.DEFAULT.with(copy -> copy.mode = Policy.Mode.IMMEDIATE)));
    assertThat(settings.limits()).isEqualTo(SharingLimits.DEFAULT);
    assertThat(settings.webhook())
        .isEqualTo(
            new ServiceSettings.Webhook(
                "127.0.0.1",
                8443,
                "system:serviceaccount:cotenant-system:cotenant",
                Duration.ofSeconds(10),
                Optional.empty()));
    assertThat(settings.origin()).isEqualTo(new OriginSettings(LoopbackTrust.ON, Set.of()));
    assertThat(settings.allocatedTtl()).isEqualTo(Duration.ofMinutes(2));
    assertThat(settings.unschedulableAfter()).isEqualTo(Duration.ofMinutes(1));
    assertThat(settings.maxMetricAge()).isEqualTo(Duration.ofMinutes(2));
    assertThat(settings.prometheus()).isEmpty();
    assertThat(settings.refreshInterval()).isEqualTo(Duration.ofSeconds(15));
    assertThat(settings.forecasting()).isEqualTo(EngineSettings.Forecasting.DEFAULT);
    assertThat(settings.rest())
        .isEqualTo(new ServiceSettings.Rest(Optional.empty(), Optional.empty()));
    assertThat(settings.decisionHistory()).isEqualTo(500);
    assertThat(settings.kubernetes()).isEmpty();
    assertThat(read(Map.of("cotenant.kubernetes.enabled", "true")).kubernetes())
        .contains(
            new KubernetesSettings(
                Optional.empty(),
                true,
                Duration.ofSeconds(5),
                new KubernetesSettings.Lease(
                    "cotenant-system",
                    "cotenant-leader",
                    Duration.ofSeconds(15),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(1)),
                Set.of("cotenant")));
  }

  @Test
  void aPodIsHeldOnlyWhereAProcessLetsItGo() {
    assertThatThrownBy(() ->
            read(
                Map.of(
                    "cotenant.kubernetes.enabled", "true",
                    "cotenant.kubernetes.gate", "false",
                    "cotenant.policy.mode", "enforce")))
        .hasMessageContaining("cotenant.kubernetes.gate", "enforce");
  }

  @Test
  void mapsEveryKey() {
    Map<String, String> properties = new TreeMap<>();
    properties.put("cotenant.home", "/home");
    properties.put("cotenant.cluster.recorded", "/c.json");
    properties.put("cotenant.models.directory", "m");
    properties.put("cotenant.models.regressor-plugin", "/plugin");
    properties.put("cotenant.models.hub", "/hub");
    properties.put("cotenant.models.urls", "https://a.example/,https://b.example/org/");
    properties.put("cotenant.models.private-urls", "https://models.svc/");
    properties.put("cotenant.models.folders", "/models=/mnt/models");
    properties.put("cotenant.devices.file", "gpus.csv");
    properties.put("cotenant.devices.refresh-interval", "2m");
    properties.put("cotenant.devices.prices", "t4=0.35");
    properties.put("cotenant.devices.currency", "EUR");
    properties.put("cotenant.data.directory", "/d");
    properties.put("cotenant.database.url", "jdbc:postgresql://db/cotenant");
    properties.put("cotenant.database.user", "u");
    properties.put("cotenant.database.password", "p");
    properties.put("cotenant.database.refresh-interval", "3s");
    properties.put("cotenant.upload.max-size", "1K");
    OverloadReaderTest.ALL.forEach(properties::put);
    properties.put("cotenant.policy.limits.utilization-percent", "120");
    properties.put("cotenant.policy.limits.memory-headroom-percent", "10");
    properties.put("cotenant.policy.limits.tenants", "4");
    properties.put("cotenant.policy.limits.slowdown", "1.3");
    properties.put("cotenant.policy.limits.coverage-percent", "75");
    properties.put("cotenant.policy.limits.risk-budget-percent", "5");
    properties.put("cotenant.policy.limits.risk-rule", "always");
    properties.put("cotenant.policy.limits.trial-percent", "8");
    properties.put("cotenant.policy.limits.trial-risk-percent", "25");
    properties.put("cotenant.policy.limits.memory-risk-percent", "1");
    properties.put("cotenant.policy.limits.objective-risk-percent", "5");
    properties.put("cotenant.policy.mode", "warn");
    properties.put("cotenant.policy.unknown-models", "deny");
    properties.put("cotenant.policy.gpu-assignment", "visible-devices");
    properties.put("cotenant.policy.stale-metrics", "allow");
    properties.put("cotenant.policy.ordering", "largest-memory-first");
    properties.put("cotenant.policy.ageing", "3m");
    properties.put("cotenant.policy.max-skips", "4");
    properties.put("cotenant.policy.max-wait", "1h");
    properties.put("cotenant.policy.fallback", "hold");
    properties.put("cotenant.policy.out-of-memory", "resubmit");
    properties.put("cotenant.policy.unschedulable", "resubmit");
    properties.put("cotenant.policy.claims.sharing", "mps");
    properties.put("cotenant.policy.claims.thread-percent", "40");
    properties.put("cotenant.policy.claims.memory-limit", "10G");
    properties.put("cotenant.policy.preemption", "evict");
    properties.put("cotenant.policy.trust-domain", "cluster");
    properties.put("cotenant.policy.engine-budget", "write");
    properties.put("cotenant.policy.fill-target", "volcano");
    properties.put("cotenant.policy.fill-kills-per-week", "5");
    properties.put("cotenant.policy.fill-scope", "templates");
    properties.put("cotenant.policy.profiling", "unknown-first");
    properties.put("cotenant.policy.profile-time", "90s");
    properties.put("cotenant.policy.speed-query", SPEED_QUERY);
    properties.put("cotenant.policy.guard", "act");
    properties.put("cotenant.policy.guard-time", "7m");
    properties.put("cotenant.policy.guard-evictions-per-hour", "2");
    properties.put("cotenant.policy.scheduler-name", "cotenant-scheduler");
    properties.put("cotenant.policy.devices.t4.tenants", "2");
    properties.put("cotenant.policies.research.namespaces", "team-a,team-b");
    properties.put("cotenant.webhook.host", "0.0.0.0");
    properties.put("cotenant.webhook.port", "9443");
    properties.put("cotenant.webhook.service-account", "me");
    properties.put("cotenant.webhook.certificate-interval", "1m");
    properties.put("cotenant.webhook.client-ca", "ca.pem");
    properties.put("cotenant.webhook.client-names", "kube-apiserver,other");
    properties.put("cotenant.ledger.allocated-ttl", "30s");
    properties.put("cotenant.gate.unschedulable-after", "90s");
    properties.put("cotenant.metrics.max-age", "5m");
    properties.put("cotenant.prometheus.url", "https://p:9090/x");
    properties.put("cotenant.prometheus.used-metric", "used");
    properties.put("cotenant.prometheus.free-metric", "free");
    properties.put("cotenant.prometheus.utilization-metric", "busy");
    properties.put("cotenant.prometheus.matchers", "cluster=\"a\"");
    properties.put("cotenant.prometheus.memory-unit", "1K");
    properties.put("cotenant.prometheus.window", "2h");
    properties.put("cotenant.prometheus.step", "15s");
    properties.put("cotenant.prometheus.collection-interval", "20s");
    properties.put("cotenant.prometheus.refresh-interval", "5s");
    properties.put("cotenant.prometheus.tenant-header", "X-T");
    properties.put("cotenant.prometheus.tenant", "team");
    properties.put("cotenant.prometheus.bearer-token-file", "/token");
    properties.put("cotenant.prometheus.ca-file", "/ca.pem");
    properties.put("cotenant.prometheus.client-certificate-file", "/c.pem");
    properties.put("cotenant.prometheus.client-key-file", "/k.pem");
    properties.put("cotenant.prometheus.connect-timeout", "1s");
    properties.put("cotenant.prometheus.request-timeout", "3s");
    properties.put("cotenant.prometheus.max-answer-size", "2M");
    properties.put("cotenant.prometheus.clock-skew", "7s");
    properties.put("cotenant.forecast.policy", "resaware");
    properties.put("cotenant.forecast.decision-horizon", "20m");
    properties.put("cotenant.forecast.expected-stay", "6h");
    properties.put("cotenant.forecast.window-samples", "30");
    properties.put("cotenant.forecast.variation-threshold", "0.3");
    properties.put("cotenant.forecast.autocorrelation-threshold", "0.4");
    properties.put("cotenant.forecast.autocorrelation-order", "2");
    properties.put("cotenant.forecast.chain-horizon", "1m");
    properties.put("cotenant.rest.token", "0123456789abcdef");
    properties.put("cotenant.rest.trust-loopback", "false");
    properties.put("cotenant.rest.allowed-hosts", "gpus.example,box");
    properties.put("cotenant.rest.tokens-file", "/etc/tokens");
    properties.put("cotenant.decisions.history", "7");
    properties.put("cotenant.history.retention", "2d");
    properties.put("cotenant.history.gpu-rows", "9");
    properties.put("cotenant.measurements.retention", "30d");
    properties.put("cotenant.log.format", "json");
    properties.put("cotenant.traces.endpoint", "https://c/otlp");
    properties.put("cotenant.traces.share", "0.5");
    properties.put("cotenant.kubernetes.enabled", "true");
    properties.put("cotenant.kubernetes.kubeconfig", "kube.yaml");
    properties.put("cotenant.kubernetes.gate", "false");
    properties.put("cotenant.kubernetes.request-timeout", "4s");
    properties.put("cotenant.kubernetes.namespace", "ns");
    properties.put("cotenant.kubernetes.lease-name", "lease");
    properties.put("cotenant.kubernetes.lease-duration", "30s");
    properties.put("cotenant.kubernetes.renew-deadline", "20s");
    properties.put("cotenant.kubernetes.retry-period", "2s");
    properties.put("cotenant.kubernetes.token-audiences", "a,b");
    assertThat(properties.keySet().stream().map(ConfigurationTest::withoutNames))
        .containsExactlyInAnyOrderElementsOf(DocumentedKeysTest.keysOfTheCode().keySet());

    ServiceSettings settings = read(properties);
    assertThat(settings.recordedCluster()).isEqualTo(Path.of("/c.json"));
    assertThat(settings.regressorPlugin()).contains(Path.of("/plugin"));
    assertThat(settings.languageModels())
        .isEqualTo(
            new FolderDescriptions.Folders(
                Path.of("/hub"), Map.of("/models", Path.of("/mnt/models"))));
    assertThat(settings.modelUrls())
        .isEqualTo(
            AllowedUrls.of(
                List.of("https://a.example/", "https://b.example/org/"),
                List.of("https://models.svc/")));
    assertThat(settings.modelDirectory()).isEqualTo(Path.of("/home/m"));
    assertThat(settings.devices())
        .isEqualTo(
            new ServiceSettings.Devices(
                Optional.of(Path.of("/home/gpus.csv")),
                Duration.ofMinutes(2),
                Map.of("t4", 0.35),
                Optional.of("EUR")));
    assertThat(settings.dataDirectory()).isEqualTo(Path.of("/d"));
    assertThat(settings.database())
        .isEqualTo(
            new DatabaseSettings(
                Optional.of("jdbc:postgresql://db/cotenant"),
                Optional.of("u"),
                Optional.of("p"),
                Path.of("/d")));
    assertThat(settings.database().toString())
        .isEqualTo("PostgreSQL at jdbc:postgresql://db/cotenant");
    assertThat(settings.databaseInterval()).isEqualTo(Duration.ofSeconds(3));
    assertThat(settings.maxUploadBytes()).isEqualTo(1024);
    assertThat(settings.limits().summedUtilization().percent()).isEqualTo(120);
    assertThat(settings.limits().memoryHeadroomFraction()).isEqualTo(0.1);
    assertThat(settings.limits().tenants()).isEqualTo(4);
    assertThat(settings.limits().slowdown().ratio()).isEqualTo(1.3);
    assertThat(settings.limits().leastCoverage().fraction()).isEqualTo(0.75);
    assertThat(settings.limits().risk())
        .isEqualTo(
            new RiskLimit(0.05, RiskLimit.Rule.ALWAYS, new RiskLimit.Exploration(0.08, 0.25)));
    assertThat(settings.limits().bounds()).isEqualTo(new BoundRisk(0.01, 0.05));
    Policy standard = settings.policies().standard();
    assertThat(standard)
        .isEqualTo(
            new Policy(
                "default",
                Policy.Mode.WARN,
                standard.limits(),
                new Policy.Queue(
                    Policy.Ordering.LARGEST_MEMORY_FIRST,
                    Duration.ofMinutes(3),
                    4,
                    Duration.ofHours(1),
                    Policy.Fallback.HOLD),
                Policy.StaleMetrics.ALLOW,
                Policy.UnknownModels.DENY,
                Policy.GpuAssignment.VISIBLE_DEVICES,
                Policy.OutOfMemory.RESUBMIT,
                Policy.Unschedulable.RESUBMIT,
                new ClaimSharing.Mps(40, MemorySize.ofGiB(10)),
                Policy.Preemption.EVICT,
                "cotenant-scheduler",
                Policy.EngineBudget.WRITE,
                new TrustScope("cluster"),
                new Measuring(
                    Measuring.Profiling.UNKNOWN_FIRST,
                    Duration.ofSeconds(90),
                    new GuardRules(GuardRules.Mode.ACT, Duration.ofMinutes(7), 2),
                    new QueryTemplate(SPEED_QUERY)),
                new Filling(GpuDialect.VOLCANO, 5, Filling.Scope.TEMPLATES)));
    assertThat(settings.policies().byNamespace()).containsOnlyKeys("team-a", "team-b");
    assertThat(settings.webhook())
        .isEqualTo(
            new ServiceSettings.Webhook(
                "0.0.0.0",
                9443,
                "me",
                Duration.ofMinutes(1),
                Optional.of(
                    new ServiceSettings.Clients(
                        Path.of("/home/ca.pem"), Set.of("kube-apiserver", "other")))));
    assertThat(settings.origin())
        .isEqualTo(new OriginSettings(LoopbackTrust.OFF, Set.of("gpus.example", "box")));
    assertThat(settings.allocatedTtl()).isEqualTo(Duration.ofSeconds(30));
    assertThat(settings.unschedulableAfter()).isEqualTo(Duration.ofSeconds(90));
    assertThat(settings.maxMetricAge()).isEqualTo(Duration.ofMinutes(5));
    assertThat(settings.prometheus())
        .contains(
            new PrometheusSettings(
                URI.create("https://p:9090/x"),
                new PrometheusSettings.Metrics("used", "free", "busy", "cluster=\"a\"", 1024),
                new PrometheusSettings.Range(
                    Duration.ofHours(2), Duration.ofSeconds(20), Duration.ofSeconds(20)),
                new PrometheusSettings.Access(
                    Map.of("X-T", "team"),
                    Optional.of(Path.of("/token")),
                    Optional.of(Path.of("/ca.pem")),
                    Optional.of(Path.of("/c.pem")),
                    Optional.of(Path.of("/k.pem"))),
                new PrometheusSettings.Limits(
                    Duration.ofSeconds(1), Duration.ofSeconds(3), 2 << 20, Duration.ofSeconds(7))));
    assertThat(settings.refreshInterval()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.forecasting())
        .isEqualTo(
            new EngineSettings.Forecasting(
                ForecastPolicy.RESAWARE,
                new ResAwareSettings(0.3, 0.4, 2, 30, Duration.ofMinutes(1)),
                Duration.ofMinutes(20),
                Duration.ofHours(6)));
    assertThat(settings.rest())
        .isEqualTo(
            new ServiceSettings.Rest(
                Optional.of("0123456789abcdef"), Optional.of(Path.of("/etc/tokens"))));
    assertThat(settings.decisionHistory()).isEqualTo(7);
    assertThat(settings.telemetry())
        .isEqualTo(
            new ServiceSettings.Telemetry(
                ServiceSettings.LogFormat.JSON, Optional.of(URI.create("https://c/otlp")), 0.5));
    assertThat(settings.kubernetes())
        .contains(
            new KubernetesSettings(
                Optional.of(Path.of("/home/kube.yaml")),
                false,
                Duration.ofSeconds(4),
                new KubernetesSettings.Lease(
                    "ns",
                    "lease",
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(2)),
                Set.of("a", "b")));
  }

  @ParameterizedTest
  @CsvSource({
    "policy.limits.utilization-percent, -1",
    "policy.limits.utilization-percent, NaN",
    "policy.limits.memory-headroom-percent, 100",
    "policy.limits.memory-headroom-percent, -0.1",
    "policy.limits.tenants, 0",
    "policy.limits.slowdown, 0.99",
    "policy.limits.risk-budget-percent, 100.5",
    "policy.limits.risk-budget-percent, -1",
    "policy.limits.coverage-percent, 101",
    "policy.fill-kills-per-week, -1",
    "policy.fill-kills-per-week, 1001",
    "policy.fill-target, dra",
    "policy.fill-target, nvidia",
    "webhook.port, 65536",
    "webhook.port, -1",
    "webhook.certificate-interval, 0s",
    "ledger.allocated-ttl, 0s",
    "gate.unschedulable-after, 0s",
    "metrics.max-age, PT-1M",
    "rest.token, short",
    "rest.allowed-hosts, 'gpus.example,http://box'",
    "rest.allowed-hosts, box:8080",
    "webhook.client-names, kube-apiserver",
    "decisions.history, 0",
    "prometheus.refresh-interval, 0s",
    "forecast.decision-horizon, 0s",
    "forecast.expected-stay, 0s",
    "forecast.window-samples, 2",
    "forecast.autocorrelation-threshold, 1.1",
    "upload.max-size, 0",
    "database.url, jdbc:mysql://db",
    "database.user, somebody",
    "database.refresh-interval, 0s",
    "kubernetes.request-timeout, 0s",
    "kubernetes.lease-duration, 999ms",
    "kubernetes.renew-deadline, 11s",
    "kubernetes.retry-period, 10s",
  })
  void namesTheKeyThatIsOutOfRange(String key, String value) {
    assertThatThrownBy(() -> read(Map.of("cotenant." + key, value)))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("cotenant." + key + " must ")
        .message()
        .doesNotContain("short")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({
    "prometheus.url, ftp://p",
    "prometheus.url, p:9090",
    "prometheus.step, 0s",
    "prometheus.used-metric, a-b",
    "prometheus.request-timeout, 0s",
    "prometheus.client-key-file, /k.pem",
  })
  void namesTheServersKeyThatDoesNotFit(String key, String value) {
    assertThatThrownBy(
            () -> {
              Map<String, String> properties = new TreeMap<>();
              properties.put("cotenant.prometheus.url", "http://p");
              properties.put("cotenant." + key, value);
              read(properties);
            })
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("cotenant.prometheus.")
        .hasMessageContaining(key.substring(key.indexOf('.') + 1))
        .hasMessageContaining("must fit")
        .message()
        .hasLineCount(1);
  }

  private static String withoutNames(String key) {
    return key.replaceAll("^(cotenant\\.policy\\.devices)\\..*", "$1.<device>")
        .replaceAll("^(cotenant\\.policies)\\..*", "$1.<name>");
  }

  @ParameterizedTest
  @CsvSource({
    "cotenant.unknown",
    "cotenant.policy.limits.tenantz",
    "cotenant.limits.tenants",
    "cotenant.policies.a.limits.tenantz",
    "cotenant.policy.devices.t4.mode",
    "cotenant.webhook.tls.port"
  })
  void refusesUnknownKeys(String key) {
    assertThatThrownBy(() -> read(Map.of(key, "1"))).hasMessageContaining(key);
  }

  @ParameterizedTest
  @CsvSource({"policy.fill-scope, jobs", "policy.mode, on"})
  void namesTheKeyWhoseValueIsNoneOfItsNames(String key, String value) {
    assertThatThrownBy(() -> read(Map.of("cotenant." + key, value)))
        .hasMessageContaining("cotenant." + key)
        .hasMessageContaining("\"" + value + "\"")
        .hasMessageContaining("allowed values");
  }

  @ParameterizedTest
  @CsvSource({"grants, PT0S", "stay, PT10M", "peak-bound,", "resaware,"})
  void grantsStayWhereTheForecastPolicySaysSo(String policy, @Nullable Duration beyond) {
    ServiceSettings settings = read(Map.of("cotenant.forecast.policy", policy));
    Engine engine = Engine.lazy(EngineSettings.DEFAULT.withForecasting(settings.forecasting()));
    ClusterSnapshot cluster =
        engine.snapshot(engine.readCluster(Path.of("../examples/clusters/busy.json")));

    assertThat(cluster.gpus().stream().map(GpuSnapshot::memory))
        .filteredOn(MemoryObservation.Measured.class::isInstance)
        .isNotEmpty()
        .allMatch(
            memory -> Objects.equals(((MemoryObservation.Measured) memory).grantsBeyond(), beyond));
  }
}
