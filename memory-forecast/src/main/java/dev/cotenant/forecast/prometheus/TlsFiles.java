package dev.cotenant.forecast.prometheus;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.tls.KeyPairs;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509ExtendedKeyManager;
import nl.altindag.ssl.exception.GenericException;
import nl.altindag.ssl.exception.GenericIOException;
import nl.altindag.ssl.pem.util.PemUtils;
import nl.altindag.ssl.util.KeyManagerUtils;
import nl.altindag.ssl.util.SSLContextUtils;

/** Certificates and keys as PEM files, the way clusters hand them out. */
final class TlsFiles {
  private static final String CERTIFICATE = "holds no certificate (BEGIN CERTIFICATE)";
  private static final String KEY = "holds no key without a password (BEGIN PRIVATE KEY)";

  private TlsFiles() {}

  /** TLS context from CA and client certificate; empty for the platform's default. */
  static Optional<SSLContext> context(PrometheusSettings.Access access) {
    var trusted =
        access.certificateAuthority().stream()
            .map(file -> read(file, PemUtils::loadTrustMaterial, CERTIFICATE))
            .toList();
    var own =
        access.clientCertificate().stream()
            .map(file -> identity(file, access.clientKey().orElseThrow()))
            .toList();
    return trusted.isEmpty() && own.isEmpty()
        ? Optional.empty()
        : Optional.of(SSLContextUtils.createSslContext(own, trusted));
  }

  private static X509ExtendedKeyManager identity(Path certificateFile, Path keyFile) {
    PrivateKey key = read(keyFile, PemUtils::loadPrivateKey, KEY);
    X509Certificate[] chain =
        read(certificateFile, PemUtils::loadCertificate, CERTIFICATE)
            .toArray(X509Certificate[]::new);
    if (!KeyPairs.isPair(key, chain[0].getPublicKey())) {
      String why = keyFile + " is not the key of this certificate";
      throw unusable(certificateFile, why, new GeneralSecurityException(why));
    }
    return KeyManagerUtils.createKeyManager(key, chain);
  }

  private static <T> T read(Path file, Function<Path, T> reader, String otherwise) {
    try {
      return reader.apply(file);
    } catch (GenericIOException e) {
      boolean isMissing = e.getCause() instanceof NoSuchFileException;
      throw unusable(file, isMissing ? "no such file" : String.valueOf(e.getCause()), e);
    } catch (GenericException | IllegalStateException | IllegalArgumentException e) {
      throw unusable(file, otherwise, e);
    }
  }

  private static InputException unusable(Path file, String why, Exception e) {
    return new InputException(
        InputException.Kind.MALFORMED, "bad-tls-file", file + " cannot be used: " + why, e);
  }
}
