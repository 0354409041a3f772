package dev.cotenant.service.webhook;

import dev.cotenant.admission.AdmissionWebhooks;
import dev.cotenant.admission.extender.Extender;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.admission.webhook.ReviewHandler;
import dev.cotenant.domain.InputException;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.overload.Connection;
import dev.cotenant.service.overload.LoadShedding;
import dev.cotenant.service.tracing.Tracing;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.KeyCertOptions;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The HTTPS port, apart from the one of pages: it binds elsewhere. The webhooks ask for a client
 * certificate where {@code cotenant.webhook.client-ca} is set, as few clusters give their API
 * servers one; the scheduler extender and REST ask for a token.
 *
 * <p>Its certificate is the TLS configuration {@code webhook} ({@code quarkus.tls.webhook.*}) and
 * follows its renewals; without one it is self-signed.
 */
@Singleton
public class WebhookServer {
  private static final Logger LOG = Logger.getLogger(WebhookServer.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  /** TLS 1.3, and of TLS 1.2 what authenticates what it encrypts (AEAD) with a key of its own. */
  private static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

  private static final List<String> CIPHER_SUITES =
      List.of(
          "TLS_AES_256_GCM_SHA384",
          "TLS_AES_128_GCM_SHA256",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");

  private static final Duration[] BUCKETS = {
    Duration.ofNanos(250_000),
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(20),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(2)
  };

  private final Vertx vertx;
  private final MeterRegistry meters;
  private final FirstCertificate certificate;
  private final ServiceSettings settings;
  private final AdmissionWebhooks webhooks;
  private final Verified verified;
  private final LoadShedding loadShedding;
  private final Supervisor supervisor;
  private final Tracing tracing;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final Workers workers;
  private @Nullable Listeners listeners;
  private @Nullable WebhookRouting routing;
  private @Nullable Loop watching;

  WebhookServer(
      Vertx vertx,
      MeterRegistry meters,
      FirstCertificate certificate,
      ServiceSettings settings,
      AdmissionWebhooks webhooks,
      Verified verified,
      LoadShedding loadShedding,
      Supervisor supervisor,
      Tracing tracing) {
    this.supervisor = supervisor;
    workers = new Workers(executor, supervisor);
    this.tracing = tracing;
    this.vertx = vertx;
    this.meters = meters;
    this.certificate = certificate;
    this.settings = settings;
    this.webhooks = webhooks;
    this.verified = verified;
    this.loadShedding = loadShedding;
  }

  /** Routes for authenticated callers. */
  @Singleton
  static class Verified {
    private final VerifiedRouting.Callers callers;
    private final Extender extender;
    private final RestRouter rest;
    private final SecurePort port;

    Verified(VerifiedRouting.Callers callers, Extender extender, RestRouter rest, SecurePort port) {
      this.callers = callers;
      this.extender = extender;
      this.rest = rest;
      this.port = port;
    }
  }

  /**
   * Opens the port.
   *
   * @throws InputException ({@code port-unavailable}) when it cannot be opened
   */
  public void start() {
    WebhookRouting opened =
        new WebhookRouting(
            Map.of(
                "/webhooks/mutate",
                timed("mutate", tracing.review("mutate", webhooks::mutate)),
                "/webhooks/validate",
                ReviewHandler.byWorkers(timed("validate", webhooks::validate))),
            workers,
            loadShedding);
    ServiceSettings.Webhook where = settings.webhook();
    VerifiedRouting verifiedRouting = verifiedRouting();
    CertificateWatch watch = certificate.watch();
    WebhookCallers callers = new WebhookCallers(where, meters);
    HttpServerOptions options = options(watch.options());
    callers.ask(options);
    try {
      listeners =
          Listeners.open(
              vertx,
              options,
              request -> {
                Connection.of(request).serve(request);
                if (verifiedRouting.has(request.path())) {
                  verifiedRouting.handle(request);
                } else if (callers.admit(request)) {
                  opened.handle(request);
                }
              });
      routing = opened;
    } catch (CompletionException e) {
      throw new InputException(
          InputException.Kind.INVALID_ARGUMENT,
          "port-unavailable",
          "cotenant.webhook: cannot listen on "
              + where.host()
              + ":"
              + where.port()
              + ": "
              + String.valueOf(e.getCause()),
          e);
    }
    // Renewed certificates are served to new connections; those that stand go on.
    watching = watch.begin(settings.webhook().certificateInterval(), supervisor, callers::look);
    verified.port.opened(port());
    LOG.infof("Webhooks listen on https://%s:%d", where.host(), port());
  }

  /**
   * Answers reviews of this process over HTTPS on a temporary loopback port, on another thread,
   * which loads the classes before the first caller. It ends in any case.
   *
   * @param silent answers them without metrics and history
   */
  public Future<?> warmUp(ReviewHandler silent, byte[] review) {
    HttpServerOptions options =
        options(certificate.watch().options()).setHost(HttpsWarmUp.HOST).setPort(0);
    WebhookRouting routing =
        new WebhookRouting(Map.of(HttpsWarmUp.PATH, silent), workers, loadShedding);
    return vertx
        .executeBlocking(
            () -> {
              new HttpsWarmUp(vertx).run(options, routing::handle, review);
              return true;
            },
            false)
        .onFailure(failure -> {
          supervisor.check(failure);
          LOG.warnf("No warm-up, the first reviews may take longer: %s", failure);
        });
  }

  /** The port that was opened. */
  public int port() {
    Listeners running = listeners;
    if (running == null) {
      throw new IllegalStateException("the webhook port is not open");
    }
    return running.port();
  }

  /**
   * Answers the reviews in flight, then closes the port, since an aborted review leaves its pod
   * without a decision.
   */
  public void stop() {
    if (watching != null) {
      watching.close();
    }
    Listeners open = listeners;
    WebhookRouting answering = routing;
    listeners = null;
    if (open != null && answering != null) {
      try {
        answering.drain(CLOSE_TIMEOUT);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      open.close(CLOSE_TIMEOUT);
    }
    executor.shutdown();
  }

  private VerifiedRouting verifiedRouting() {
    Extender extender = verified.extender;
    return new VerifiedRouting(
        verified.callers,
        new VerifiedRouting.Targets(
            Map.of(
                "/extender/filter", timed("filter", extender::filter),
                "/extender/prioritize", timed("prioritize", extender::prioritize),
                "/extender/bind", timed("bind", extender::bind),
                "/extender/preempt", timed("preempt", extender::preempt)),
            Extender.MAX_BYTES,
            verified.rest::handle),
        workers,
        loadShedding);
  }

  private UnaryOperator<byte[]> timed(String webhook, UnaryOperator<byte[]> handler) {
    Timer timer = timer(webhook);
    return body -> {
      Timer.Sample sample = Timer.start(meters);
      byte[] answer = handler.apply(body);
      sample.stop(timer);
      return answer;
    };
  }

  private ReviewHandler timed(String webhook, ReviewHandler handler) {
    Timer timer = timer(webhook);
    return (body, executor) -> {
      Timer.Sample sample = Timer.start(meters);
      return handler.answer(body, executor).whenComplete((_, _) -> sample.stop(timer));
    };
  }

  /** From the whole body to the whole answer. */
  private Timer timer(String webhook) {
    return Timer.builder("cotenant.webhook.duration")
        .description("Time from a whole AdmissionReview to its answer")
        .tag("webhook", webhook)
        .serviceLevelObjectives(BUCKETS)
        .register(meters);
  }

  private HttpServerOptions options(KeyCertOptions key) {
    HttpServerOptions options = new HttpServerOptions();
    options.setEnabledSecureTransportProtocols(PROTOCOLS);
    CIPHER_SUITES.forEach(options::addEnabledCipherSuite);
    return options
        .setHost(settings.webhook().host())
        .setPort(settings.webhook().port())
        .setSsl(true)
        .setUseAlpn(false) // HTTP/1.1, which is what API servers ask webhooks by
        .setSslHandshakeTimeout(loadShedding.settings().deadlines().handshake().toMillis())
        .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
        .setKeyCertOptions(key);
  }
}
