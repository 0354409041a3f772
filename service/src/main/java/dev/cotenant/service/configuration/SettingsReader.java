package dev.cotenant.service.configuration;

import static dev.cotenant.service.configuration.Range.bad;
import static dev.cotenant.service.configuration.Range.between;
import static dev.cotenant.service.configuration.Range.positive;

import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.EngineSettings;
import dev.cotenant.engine.model.FolderDescriptions;
import dev.cotenant.forecast.ResAwareSettings;
import dev.cotenant.llm.source.AllowedUrls;
import dev.cotenant.service.history.HistoryRecorder.Retention;
import dev.cotenant.service.origin.Authority;
import dev.cotenant.service.origin.LoopbackTrust;
import dev.cotenant.service.origin.OriginSettings;
import dev.cotenant.service.store.DatabaseSettings;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Converts the configuration into settings; errors name the key of an out-of-range value. */
public final class SettingsReader {
  private static final String POSTGRESQL = "jdbc:postgresql:";
  private static final int MAX_PORT = 65_535;
  private static final int MAX_HISTORY = 100_000;
  private static final int MIN_TOKEN_LENGTH = 16;
  private static final int MAX_ORDER = 1_000;
  private static final int MAX_WINDOW = 100_000;
  private static final double MAX_VARIATION = 1_000;
  private static final Duration MIN_RETENTION = Duration.ofHours(1);
  private static final Duration MAX_RETENTION = Duration.ofDays(400);
  private static final Duration MIN_MEASUREMENTS = Duration.ofDays(1);
  private static final Duration MAX_MEASUREMENTS = Duration.ofDays(3_650);
  private static final long MAX_GPU_ROWS = 1_000_000_000;
  private static final Pattern CURRENCY = Pattern.compile("\\p{L}{1,8}|\\p{Sc}");
  private static final Pattern PRICE =
      Pattern.compile("([A-Za-z0-9._-]{1,64})\\s*=\\s*(\\d{1,6}(?:\\.\\d{1,6})?)");

  private final CotenantConfiguration configuration;

  public SettingsReader(CotenantConfiguration configuration) {
    this.configuration = configuration;
  }

  /**
   * Reads everything.
   *
   * @throws InputException ({@code bad-configuration}) naming the first key that is out of range
   */
  public ServiceSettings read() {
    return new ServiceSettings(
        resolve(configuration.cluster().recorded()),
        resolve(configuration.models().directory()),
        languageModels(),
        modelUrls(),
        configuration.models().regressorPlugin().map(this::resolve),
        devices(),
        resolve(configuration.data().directory()),
        database(),
        positive("database.refresh-interval", configuration.database().refreshInterval()),
        maxUpload(),
        policies(),
        webhook(),
        positive("ledger.allocated-ttl", configuration.ledger().allocatedTtl()),
        positive("gate.unschedulable-after", configuration.gate().unschedulableAfter()),
        positive("metrics.max-age", configuration.metrics().maxAge()),
        new PrometheusReader(configuration.prometheus()).read(),
        positive("prometheus.refresh-interval", configuration.prometheus().refreshInterval()),
        forecasting(),
        new ServiceSettings.Rest(token(), configuration.rest().tokensFile().map(this::resolve)),
        origin(),
        (int) between("decisions.history", configuration.decisions().history(), 1, MAX_HISTORY),
        history(),
        measurementRetention(),
        telemetry(),
        new KubernetesReader(configuration.kubernetes(), this::resolve).read());
  }

  private Retention history() {
    return new Retention(
        between(
            "history.retention", configuration.history().retention(), MIN_RETENTION, MAX_RETENTION),
        (long)
            between(
                "history.gpu-rows", (double) configuration.history().gpuRows(), 1, MAX_GPU_ROWS));
  }

  private Duration measurementRetention() {
    return between(
        "measurements.retention",
        configuration.measurements().retention(),
        MIN_MEASUREMENTS,
        MAX_MEASUREMENTS);
  }

  private Map<String, Double> prices() {
    Map<String, Double> prices = new TreeMap<>();
    for (String price : configuration.devices().prices().orElse(List.of())) {
      Matcher parts = PRICE.matcher(price.strip());
      if (!parts.matches()) {
        throw bad("devices.prices", "must be DEVICE=PRICE, such as t4=0.35, has '" + price + "'");
      }
      prices.put(parts.group(1), Double.parseDouble(parts.group(2)));
    }
    return prices;
  }

  private Optional<String> currency() {
    Optional<String> currency = configuration.devices().currency().map(String::strip);
    currency.ifPresent(label -> {
      if (!CURRENCY.matcher(label).matches()) {
        throw bad(
            "devices.currency",
            "must be 1 to 8 letters or a sign, such as EUR, is '" + label + "'");
      }
    });
    return currency;
  }

  /** A gate that nobody competes for would hold pods for ever. */
  private Policies policies() {
    Policies policies = new PolicyReader(configuration).read();
    KubernetesConfiguration kubernetes = configuration.kubernetes();
    if (kubernetes.enabled() && !kubernetes.gate() && policies.use(Policy.Mode.ENFORCE)) {
      throw Range.bad("kubernetes.gate", "must be true where the mode of a policy is enforce");
    }
    return policies;
  }

  private ServiceSettings.Telemetry telemetry() {
    CotenantConfiguration.Traces traces = configuration.traces();
    return new ServiceSettings.Telemetry(
        configuration.log().format(),
        traces.endpoint().map(SettingsReader::collector),
        between("traces.share", traces.share(), 0, 1));
  }

  private static URI collector(String url) {
    try {
      URI collector = new URI(url);
      boolean http = "http".equals(collector.getScheme()) || "https".equals(collector.getScheme());
      if (http
          && collector.getHost() != null
          && collector.getRawQuery() == null
          && collector.getRawFragment() == null) {
        return collector;
      }
    } catch (URISyntaxException _) {
      // said below
    }
    throw bad("traces.endpoint", "must be a URL such as http://collector:4318, is '" + url + "'");
  }

  private FolderDescriptions.Folders languageModels() {
    Map<String, Path> paths = new TreeMap<>();
    for (String folder : configuration.models().folders().orElse(List.of())) {
      int equals = folder.indexOf('=');
      String path = equals < 0 ? "" : folder.substring(0, equals).strip();
      if (!path.matches("(/[A-Za-z0-9._-]{1,96}){1,16}") || equals == folder.length() - 1) {
        throw bad(
            "models.folders",
            "must be PATH=DIRECTORY, such as /models=/srv/models, has '" + folder + "'");
      }
      paths.put(path, resolve(Path.of(folder.substring(equals + 1).strip())));
    }
    return new FolderDescriptions.Folders(
        configuration.models().hub().map(this::resolve).orElse(null), paths);
  }

  private AllowedUrls modelUrls() {
    CotenantConfiguration.Models models = configuration.models();
    try {
      return AllowedUrls.of(
          models.urls().orElse(List.of()), models.privateUrls().orElse(List.of()));
    } catch (InputException e) {
      throw bad(
          "models.urls", "and models.private-urls: " + e.getMessage().replaceFirst("\\.$", ""));
    }
  }

  private ServiceSettings.Devices devices() {
    return new ServiceSettings.Devices(
        configuration.devices().file().map(this::resolve),
        positive("devices.refresh-interval", configuration.devices().refreshInterval()),
        prices(),
        currency());
  }

  private DatabaseSettings database() {
    CotenantConfiguration.Database database = configuration.database();
    if (database.url().isPresent() && !database.url().get().startsWith(POSTGRESQL)) {
      throw bad("database.url", "must start with " + POSTGRESQL);
    }
    if (database.url().isEmpty() && database.user().isPresent()) {
      throw bad("database.user", "must come with cotenant.database.url");
    }
    return new DatabaseSettings(
        database.url(),
        database.user(),
        database.password(),
        resolve(configuration.data().directory()));
  }

  private Path resolve(Path path) {
    return configuration.home().toAbsolutePath().resolve(path).normalize();
  }

  private long maxUpload() {
    long bytes = configuration.upload().maxSize().asLongValue();
    if (bytes < 1) {
      throw bad("upload.max-size", "must be at least 1 byte, is " + bytes);
    }
    return bytes;
  }

  private ServiceSettings.Webhook webhook() {
    WebhookConfiguration webhook = configuration.webhook();
    if (webhook.host().isBlank()) {
      throw bad("webhook.host", "must be an address to listen on, such as 127.0.0.1");
    }
    if (webhook.serviceAccount().isBlank()) {
      throw bad("webhook.service-account", "must name a user");
    }
    return new ServiceSettings.Webhook(
        webhook.host(),
        (int) between("webhook.port", webhook.port(), 0, MAX_PORT),
        webhook.serviceAccount(),
        positive("webhook.certificate-interval", webhook.certificateInterval()),
        clients(webhook));
  }

  private Optional<ServiceSettings.Clients> clients(WebhookConfiguration webhook) {
    if (webhook.clientCa().isEmpty() && webhook.clientNames().isPresent()) {
      throw bad("webhook.client-names", "must come with cotenant.webhook.client-ca");
    }
    return webhook
        .clientCa()
        .map(file ->
            new ServiceSettings.Clients(resolve(file), webhook.clientNames().orElse(Set.of())));
  }

  private OriginSettings origin() {
    CotenantConfiguration.Rest rest = configuration.rest();
    Set<String> hosts = rest.allowedHosts().orElse(Set.of());
    for (String host : hosts) {
      if (Authority.parse(host).filter(parsed -> parsed.port().isEmpty()).isEmpty()) {
        throw bad("rest.allowed-hosts", "must be names without ports, has '" + host + "'");
      }
    }
    return new OriginSettings(rest.trustLoopback() ? LoopbackTrust.ON : LoopbackTrust.OFF, hosts);
  }

  private EngineSettings.Forecasting forecasting() {
    ForecastConfiguration forecast = configuration.forecast();
    int order =
        (int)
            between(
                "forecast.autocorrelation-order", forecast.autocorrelationOrder(), 1, MAX_ORDER);
    return new EngineSettings.Forecasting(
        forecast.policy(),
        new ResAwareSettings(
            between(
                "forecast.variation-threshold", forecast.variationThreshold(), 0, MAX_VARIATION),
            between(
                "forecast.autocorrelation-threshold", forecast.autocorrelationThreshold(), -1, 1),
            order,
            (int)
                between("forecast.window-samples", forecast.windowSamples(), order + 2, MAX_WINDOW),
            positive("forecast.chain-horizon", forecast.chainHorizon())),
        positive("forecast.decision-horizon", forecast.decisionHorizon()),
        forecast.expectedStay().map(stay -> positive("forecast.expected-stay", stay)).orElse(null));
  }

  private Optional<String> token() {
    Optional<String> token = configuration.rest().token();
    if (token.isPresent() && token.get().length() < MIN_TOKEN_LENGTH) {
      throw bad("rest.token", "must have at least " + MIN_TOKEN_LENGTH + " characters");
    }
    return token;
  }
}
