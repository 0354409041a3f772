package dev.cotenant.service.webhook;

import dev.cotenant.domain.InputException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.KeyCertOptions;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * A servable certificate: its key matches and it has not expired.
 *
 * @param keys what handshakes are made with
 * @param certificate the server's own, without those who signed it
 */
record ServedCertificate(X509ExtendedKeyManager keys, X509Certificate certificate) {
  private static final String BROKEN = "broken-certificate";

  /** Signature algorithms by the name of the key's. */
  private static final List<List<String>> ALGORITHMS =
      List.of(
          List.of("RSA", "SHA256withRSA"),
          List.of("EC", "SHA256withECDSA"),
          List.of("EdDSA", "EdDSA"));

  /**
   * Reads what options hold; not on an event loop.
   *
   * @throws InputException ({@code broken-certificate}) where a handshake with it would fail
   */
  static ServedCertificate of(KeyCertOptions options, Vertx vertx, Instant now) {
    X509ExtendedKeyManager keys = keys(options, vertx);
    String alias =
        ALGORITHMS.stream()
            .map(List::getFirst)
            .flatMap(type -> aliases(keys, type))
            .findFirst()
            .orElseThrow(() -> broken("it has no key that can be used"));
    Certificate[] chain = keys.getCertificateChain(alias);
    if (chain == null || chain.length == 0 || !(chain[0] instanceof X509Certificate certificate)) {
      throw broken("it has no certificate");
    }
    if (!certificate.getNotAfter().toInstant().isAfter(now)) {
      throw broken("it expired at " + certificate.getNotAfter().toInstant());
    }
    if (!isPair(keys.getPrivateKey(alias), certificate.getPublicKey())) {
      throw broken("its key is another certificate's");
    }
    return new ServedCertificate(keys, certificate);
  }

  /** When it expires. */
  Instant expires() {
    return certificate.getNotAfter().toInstant();
  }

  private static X509ExtendedKeyManager keys(KeyCertOptions options, Vertx vertx) {
    Future<KeyManagerFactory> read =
        vertx.executeBlocking(() -> options.getKeyManagerFactory(vertx), false);
    try {
      KeyManager[] managers =
          read.toCompletionStage().toCompletableFuture().join().getKeyManagers();
      return Stream.of(managers)
          .filter(X509ExtendedKeyManager.class::isInstance)
          .map(X509ExtendedKeyManager.class::cast)
          .findFirst()
          .orElseThrow(() -> broken("it has no key"));
    } catch (CompletionException e) {
      throw broken(String.valueOf(e.getCause()));
    }
  }

  private static Stream<String> aliases(X509ExtendedKeyManager keys, String type) {
    String[] aliases = keys.getServerAliases(type, null);
    return aliases == null ? Stream.empty() : Arrays.stream(aliases).sorted();
  }

  /** Whether the certified key verifies a signature of the private key. */
  private static boolean isPair(PrivateKey key, PublicKey certified) {
    byte[] text = certified.getEncoded();
    try {
      Signature signing = Signature.getInstance(algorithm(key));
      signing.initSign(key);
      signing.update(text);
      byte[] signature = signing.sign();
      Signature verifying = Signature.getInstance(algorithm(key));
      verifying.initVerify(certified);
      verifying.update(text);
      return verifying.verify(signature);
    } catch (GeneralSecurityException e) {
      return false; // keys of different kinds, or of different sizes
    }
  }

  private static String algorithm(PrivateKey key) {
    return ALGORITHMS.stream()
        .filter(known -> known.getFirst().equals(key.getAlgorithm()))
        .map(List::getLast)
        .findFirst()
        .orElseThrow(() -> broken("keys of " + key.getAlgorithm() + " are not known"));
  }

  private static InputException broken(String why) {
    return InputException.invalidArgument(
        BROKEN, "The webhooks' certificate cannot be served: " + why + ".");
  }
}
