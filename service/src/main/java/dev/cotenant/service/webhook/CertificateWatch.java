package dev.cotenant.service.webhook;

import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.domain.InputException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.tls.TlsConfiguration;
import io.vertx.core.Vertx;
import io.vertx.core.net.KeyCertOptions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
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
  private final Source source;
  private final RenewableKey key;
  private final Counter failures;
  private @Nullable String reported;

  /**
   * Source of certificates.
   *
   * @param first the first certificate
   * @param again the current content of the files; empty while they are unreadable
   */
  record Source(Supplier<KeyCertOptions> first, Supplier<Optional<KeyCertOptions>> again) {
    /** The files of a TLS configuration. */
    static Source of(TlsConfiguration files) {
      return new Source(
          files::getKeyStoreOptions,
          () -> files.reload() ? Optional.of(files.getKeyStoreOptions()) : Optional.empty());
    }

    /** A certificate made at the start. */
    static Source of(ServingCertificate made) {
      KeyCertOptions options = made.obtain();
      return new Source(() -> options, () -> Optional.of(options));
    }
  }

  /**
   * Begins with the first certificate of the source.
   *
   * @throws InputException ({@code broken-certificate}) where that cannot be served
   */
  CertificateWatch(Vertx vertx, InstantSource clock, Source source, MeterRegistry meters) {
    this.vertx = vertx;
    this.clock = clock;
    this.source = source;
    key = new RenewableKey(ServedCertificate.of(source.first().get(), vertx, clock.instant()));
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
      KeyCertOptions found =
          source
              .again()
              .get()
              .orElseThrow(() ->
                  InputException.invalidArgument(
                      "broken-certificate",
                      "The files of the webhooks' certificate cannot be read."));
      ServedCertificate next = ServedCertificate.of(found, vertx, clock.instant());
      reported = null;
      if (!next.certificate().equals(key.served().certificate())) {
        key.replace(next);
        LOG.infof("Webhooks serve a renewed certificate, until %s", next.expires());
      }
    } catch (InputException problem) {
      failures.increment();
      report(String.valueOf(problem.getMessage()));
    }
  }

  /** Logs a problem once until it changes. */
  private void report(String problem) {
    if (!problem.equals(reported)) {
      LOG.warnf("%s The previous certificate is still served.", problem);
      reported = problem;
    }
  }

  private double expiry() {
    return key.served().expires().getEpochSecond();
  }
}
