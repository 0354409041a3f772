package dev.cotenant.service.webhook;

import dev.cotenant.service.configuration.ServiceSettings;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.TrustOptions;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;
import org.jboss.logging.Logger;

/**
 * Callers of the webhooks: no web pages and, where client certificates are required, only API
 * servers. Others get 403 before their body is read. {@code /healthz} is open.
 */
final class WebhookCallers {
  private static final Logger LOG = Logger.getLogger(WebhookCallers.class);
  private static final String METRIC = "cotenant.webhook.refused.callers";

  /**
   * Every client certificate passes the handshake, which proves possession of its key; {@link
   * ClientAuthority} checks the signer per request. The port also serves callers without a
   * certificate, and a client with a wrong one gets an answer that says so.
   */
  private static final TrustManager ANY_CERTIFICATE =
      InsecureTrustManagerFactory.INSTANCE.getTrustManagers()[0];

  private static final String HEALTH = "/healthz";

  private final Optional<ClientAuthority> authority;
  private final Refusals pages;
  private final Refusals clients;
  private final Counter failures;

  /** Counts, and logs the first of a process: a flood of them must not fill the log. */
  private record Refusals(Counter counter, AtomicBoolean logged) {
    static Refusals of(String cause, MeterRegistry meters) {
      Counter counter =
          Counter.builder(METRIC)
              .description("Reviews refused because of their sender")
              .tag("cause", cause)
              .register(meters);
      return new Refusals(counter, new AtomicBoolean());
    }

    void note(HttpServerRequest request, String why) {
      counter.increment();
      if (logged.compareAndSet(false, true)) {
        LOG.warnf("A review from %s is refused: %s", request.remoteAddress(), why);
      }
    }
  }

  /** Reads the authority's file, where one is configured. */
  WebhookCallers(ServiceSettings.Webhook settings, MeterRegistry meters) {
    authority = settings.clients().map(ClientAuthority::new);
    pages = Refusals.of("web-page", meters);
    clients = Refusals.of("client-certificate", meters);
    failures = CertificateWatch.failures(meters);
  }

  /** Requests an optional client certificate where any route requires one. */
  void ask(HttpServerOptions options) {
    if (authority.isPresent()) {
      options.setClientAuth(ClientAuth.REQUEST).setTrustOptions(TrustOptions.wrap(ANY_CERTIFICATE));
    }
  }

  /** Follows renewals of the authority's file; not on an event loop. */
  void look() {
    if (authority.isPresent() && !authority.get().look()) {
      failures.increment();
    }
  }

  /** Whether a request is accepted; a refused one is answered. */
  boolean admit(HttpServerRequest request) {
    if (HEALTH.equals(request.path())) {
      return true;
    }
    if (isOfBrowser(request)) {
      return refuse(request, pages, "web pages may not call webhooks");
    }
    Optional<String> why =
        authority.flatMap(signers -> signers.refusal(chain(request.sslSession())));
    return why.isEmpty() || refuse(request, clients, why.get());
  }

  /** API servers send neither; browsers send one with every POST. */
  private static boolean isOfBrowser(HttpServerRequest request) {
    return request.headers().contains(HttpHeaders.ORIGIN)
        || request.headers().contains("Sec-Fetch-Site");
  }

  private static List<X509Certificate> chain(SSLSession session) {
    try {
      Certificate[] chain = session.getPeerCertificates();
      return Stream.of(chain)
          .filter(X509Certificate.class::isInstance)
          .map(X509Certificate.class::cast)
          .toList();
    } catch (SSLPeerUnverifiedException e) {
      return List.of(); // it sent none
    }
  }

  private static boolean refuse(HttpServerRequest request, Refusals refusals, String why) {
    refusals.note(request, why);
    request
        .response()
        .setStatusCode(403)
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain")
        .putHeader(HttpHeaders.CONNECTION, "close")
        .end(why + "\n");
    return false;
  }
}
