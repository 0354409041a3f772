package dev.cotenant.forecast.prometheus;

import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** Certificates and keys as PEM files, the way clusters hand them out. */
final class TlsFiles {
  private static final List<String> KEY_ALGORITHMS = List.of("EC", "RSA", "Ed25519");
  private static final Map<String, String> SIGNATURES =
      Map.of("EC", "SHA256withECDSA", "RSA", "SHA256withRSA");
  private static final char[] IN_MEMORY = "in-memory".toCharArray();

  private TlsFiles() {}

  /** TLS context from CA and client certificate; empty for the platform's default. */
  static Optional<SSLContext> context(PrometheusSettings.Access access) {
    if (access.certificateAuthority().isEmpty() && access.clientCertificate().isEmpty()) {
      return Optional.empty();
    }
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          access
              .clientCertificate()
              .map(file -> keyManagers(file, access.clientKey().orElseThrow()))
              .orElse(null),
          access.certificateAuthority().map(TlsFiles::trustManagers).orElse(null),
          null);
      return Optional.of(context);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has TLS", e);
    }
  }

  private static TrustManager[] trustManagers(Path file) {
    return read(
        file,
        bytes -> {
          KeyStore store = emptyStore();
          int number = 0;
          for (Certificate certificate : certificates(bytes)) {
            store.setCertificateEntry("ca-" + number++, certificate);
          }
          TrustManagerFactory managers =
              TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
          managers.init(store);
          return managers.getTrustManagers();
        });
  }

  private static KeyManager[] keyManagers(Path certificateFile, Path keyFile) {
    PrivateKey key = read(keyFile, TlsFiles::privateKey);
    return read(
        certificateFile,
        bytes -> {
          Certificate[] chain = certificates(bytes).toArray(Certificate[]::new);
          if (!belong(key, chain[0].getPublicKey())) {
            throw new GeneralSecurityException(keyFile + " is not the key of this certificate");
          }
          KeyStore store = emptyStore();
          store.setKeyEntry("client", key, IN_MEMORY, chain);
          KeyManagerFactory managers =
              KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
          managers.init(store, IN_MEMORY);
          return managers.getKeyManagers();
        });
  }

  /** Whether the keys form a pair, since a failed handshake does not name this cause. */
  private static boolean belong(PrivateKey key, PublicKey certified)
      throws GeneralSecurityException {
    String algorithm = SIGNATURES.getOrDefault(key.getAlgorithm(), key.getAlgorithm());
    byte[] text = {1, 2, 3};
    try {
      Signature signer = Signature.getInstance(algorithm);
      signer.initSign(key);
      signer.update(text);
      byte[] signature = signer.sign();
      signer.initVerify(certified);
      signer.update(text);
      return signer.verify(signature);
    } catch (InvalidKeyException | SignatureException e) {
      return false; // keys of two algorithms, or of two sizes
    }
  }

  private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static Collection<? extends Certificate> certificates(byte[] pem)
      throws GeneralSecurityException {
    Collection<? extends Certificate> all =
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new java.io.ByteArrayInputStream(pem));
    if (all.isEmpty()) {
      throw new GeneralSecurityException("holds no certificate");
    }
    return all;
  }

  private static PrivateKey privateKey(byte[] pem) throws GeneralSecurityException {
    String base64 =
        new String(pem, java.nio.charset.StandardCharsets.US_ASCII)
            .replaceAll("(?s).*-----BEGIN PRIVATE KEY-----(.*)-----END PRIVATE KEY-----.*", "$1")
            .replaceAll("\\s", "");
    PKCS8EncodedKeySpec spec;
    try {
      spec = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64));
    } catch (IllegalArgumentException e) {
      throw new GeneralSecurityException("holds no PKCS #8 key (BEGIN PRIVATE KEY)", e);
    }
    return KEY_ALGORITHMS.stream()
        .map(algorithm -> privateKey(spec, algorithm))
        .flatMap(Optional::stream)
        .findFirst()
        .orElseThrow(
            () -> new GeneralSecurityException("holds a key that is none of " + KEY_ALGORITHMS));
  }

  private static Optional<PrivateKey> privateKey(PKCS8EncodedKeySpec spec, String algorithm) {
    try {
      return Optional.of(KeyFactory.getInstance(algorithm).generatePrivate(spec));
    } catch (InvalidKeySpecException e) {
      return Optional.empty(); // a key of another algorithm
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    }
  }

  private interface Reader<T> {
    T of(byte[] bytes) throws GeneralSecurityException, IOException;
  }

  private static <T> T read(Path file, Reader<T> reader) {
    try (InputStream in = Files.newInputStream(file)) {
      return reader.of(in.readAllBytes());
    } catch (NoSuchFileException e) {
      throw unusable(file, "no such file", e);
    } catch (IOException | GeneralSecurityException e) {
      throw unusable(file, String.valueOf(e.getMessage()), e);
    }
  }

  private static InputException unusable(Path file, String why, Exception e) {
    return new InputException(
        InputException.Kind.MALFORMED, "bad-tls-file", file + " cannot be used: " + why, e);
  }
}
