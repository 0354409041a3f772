package dev.cotenant.service.webhook;

import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.domain.InputException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.net.KeyCertOptions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.X509ExtendedKeyManager;
import nl.altindag.ssl.util.KeyManagerUtils;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Reads the certificate's files periodically and serves a renewed one; one that cannot be served is
 * reported, and the current one stays.
 */
final class CertificateWatch {
  private static final Logger LOG = Logger.getLogger(CertificateWatch.class);

  /** Reads two files and checks a key. */
  private static final Duration LOOK_AT_MOST = Duration.ofSeconds(20);

  private final Vertx vertx;
  private final InstantSource clock;
  private final Supplier<Optional<KeyCertOptions>> source;
  private final X509ExtendedKeyManager key;
  private final Counter failures;
  private volatile ServedCertificate served;
  private @Nullable String reported;

  /**
   * Begins with the certificate that is there.
   *
   * @param source the current certificate; empty while its files are unreadable
   * @throws InputException ({@code broken-certificate}) where that cannot be served
   */
  CertificateWatch(
      Vertx vertx,
      InstantSource clock,
      Supplier<Optional<KeyCertOptions>> source,
      MeterRegistry meters) {
    this.vertx = vertx;
    this.clock = clock;
    this.source = source;
    served = read();
    key = KeyManagerUtils.createSwappableKeyManager(served.keys());
    failures = failures(meters);
    Gauge.builder("cotenant.certificate.expiry.timestamp", this, CertificateWatch::expiry)
        .description("Expiry of the webhooks' certificate, in seconds since 1970")
        .baseUnit("seconds")
        .strongReference(true)
        .register(meters);
  }

  /** Counts reads of files that cannot be used. */
  static Counter failures(MeterRegistry meters) {
    return Counter.builder("cotenant.certificate.reload.failures")
        .description("Failed reads of certificates and client authorities")
        .register(meters);
  }

  /** Options for a server; later renewals need no new ones. */
  KeyCertOptions options() {
    return KeyCertOptions.wrap(key);
  }

  /**
   * Reads the files periodically.
   *
   * @param authorities reads those of client certificates
   */
  Loop begin(Duration interval, Supervisor supervisor, Runnable authorities) {
    return supervisor.start(
        LoopPlan.restarted("certificate", LOOK_AT_MOST),
        heart -> {
          heart.rest(interval);
          look();
          authorities.run();
        });
  }

  /** Reads the files once; not on an event loop. */
  synchronized void look() {
    try {
      ServedCertificate next = read();
      reported = null;
      if (!next.certificate().equals(served.certificate())) {
        KeyManagerUtils.swapKeyManager(key, next.keys());
        served = next;
        LOG.infof("Webhooks serve a renewed certificate, until %s", next.expires());
      }
    } catch (InputException problem) {
      failures.increment();
      report(String.valueOf(problem.getMessage()));
    }
  }

  private ServedCertificate read() {
    KeyCertOptions found =
        source
            .get()
            .orElseThrow(() ->
                InputException.invalidArgument(
                    "broken-certificate",
                    "The files of the webhooks' certificate cannot be read."));
    return ServedCertificate.of(found, vertx, clock.instant());
  }

  /** Logs a problem once until it changes. */
  private void report(String problem) {
    if (!problem.equals(reported)) {
      LOG.warnf("%s The previous certificate is still served.", problem);
      reported = problem;
    }
  }

  private double expiry() {
    return served.expires().getEpochSecond();
  }
}
