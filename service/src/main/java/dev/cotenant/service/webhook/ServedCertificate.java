package dev.cotenant.service.webhook;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.tls.KeyPairs;
import io.vertx.core.Vertx;
import io.vertx.core.net.KeyCertOptions;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import javax.net.ssl.X509ExtendedKeyManager;
import nl.altindag.ssl.util.KeyManagerUtils;

/**
 * A servable certificate: its key matches and it has not expired.
 *
 * @param keys what handshakes are made with
 * @param certificate the server's own, without those who signed it
 */
record ServedCertificate(X509ExtendedKeyManager keys, X509Certificate certificate) {
  /**
   * Reads what options hold; not on an event loop.
   *
   * @throws InputException ({@code broken-certificate}) where a handshake with it would fail
   */
  static ServedCertificate of(KeyCertOptions options, Vertx vertx, Instant now) {
    X509ExtendedKeyManager keys = keys(options, vertx);
    String alias =
        Stream.of("RSA", "EC", "EdDSA")
            .map(type -> keys.getServerAliases(type, null))
            .filter(Objects::nonNull)
            .flatMap(aliases -> Arrays.stream(aliases).sorted())
            .findFirst()
            .orElseThrow(() -> broken("it has no usable key"));
    var served = new ServedCertificate(keys, keys.getCertificateChain(alias)[0]);
    if (!served.expires().isAfter(now)) {
      throw broken("it expired at " + served.expires());
    }
    if (!KeyPairs.isPair(keys.getPrivateKey(alias), served.certificate.getPublicKey())) {
      throw broken("its key belongs to another certificate");
    }
    return served;
  }

  /** When it expires. */
  Instant expires() {
    return certificate.getNotAfter().toInstant();
  }

  private static X509ExtendedKeyManager keys(KeyCertOptions options, Vertx vertx) {
    try {
      return KeyManagerUtils.getKeyManager(
          vertx
              .executeBlocking(() -> options.getKeyManagerFactory(vertx), false)
              .toCompletionStage()
              .toCompletableFuture()
              .join());
    } catch (CompletionException e) {
      throw broken(String.valueOf(e.getCause()));
    }
  }

  private static InputException broken(String why) {
    return InputException.invalidArgument(
        "broken-certificate", "The webhooks' certificate cannot be served: " + why + ".");
  }
}
