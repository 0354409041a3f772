package dev.cotenant.service.webhook;

import dev.cotenant.domain.InputException;
import dev.cotenant.service.configuration.ServiceSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.KeyCertOptions;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The certificate at the start: the TLS configuration {@code webhook}, or a self-signed one, which
 * takes a process to make. It is read or made while other parts of the service start.
 */
@Singleton
public class FirstCertificate {
  private static final String TLS_CONFIGURATION = "webhook";

  private final Vertx vertx;
  private final MeterRegistry meters;
  private final TlsConfigurationRegistry tls;
  private final ServiceSettings settings;
  private @Nullable Future<CertificateWatch> begun;

  FirstCertificate(
      Vertx vertx, MeterRegistry meters, TlsConfigurationRegistry tls, ServiceSettings settings) {
    this.vertx = vertx;
    this.meters = meters;
    this.tls = tls;
    this.settings = settings;
  }

  /** Begins to read or make it on another thread. */
  public void begin() {
    var _ = begun();
  }

  private synchronized Future<CertificateWatch> begun() {
    Future<CertificateWatch> found = begun;
    if (found == null) {
      found =
          vertx.executeBlocking(
              () -> new CertificateWatch(vertx, InstantSource.system(), source(), meters), false);
      begun = found;
    }
    return found;
  }

  /**
   * The certificate with its renewals; waits until it is there, and begins where nobody has.
   *
   * @throws InputException ({@code broken-certificate}) where it cannot be served
   */
  CertificateWatch watch() {
    try {
      return begun().toCompletionStage().toCompletableFuture().join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case RuntimeException failure -> throw failure;
        case Error error -> throw error;
        case null, default -> throw e;
      }
    }
  }

  /** A start that fails leaves nothing half made behind. */
  @PreDestroy
  synchronized void end() {
    Future<CertificateWatch> found = begun;
    if (found != null) {
      found.otherwiseEmpty().toCompletionStage().toCompletableFuture().join();
    }
  }

  private Supplier<Optional<KeyCertOptions>> source() {
    return tls.get(TLS_CONFIGURATION)
        .<Supplier<Optional<KeyCertOptions>>>map(files ->
            () -> files.reload() ? Optional.of(files.getKeyStoreOptions()) : Optional.empty())
        .orElseGet(() -> {
          KeyCertOptions made =
              new ServingCertificate(settings.dataDirectory(), InstantSource.system()).obtain();
          return () -> Optional.of(made);
        });
  }
}
