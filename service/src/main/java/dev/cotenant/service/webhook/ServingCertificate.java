package dev.cotenant.service.webhook;

import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import nl.altindag.ssl.exception.GenericException;
import nl.altindag.ssl.util.KeyStoreUtils;

/**
 * The self-signed certificate of a service that was given none: made on first start by the JDK's
 * own keytool, for {@code localhost} and {@code 127.0.0.1}, stored, and made again when it is about
 * to expire.
 */
final class ServingCertificate {
  static final String FILE_NAME = "webhook.p12";

  /** PKCS #12 wants a password; what protects the key is the mode of its file. */
  private static final String PASSWORD = "cotenant";

  private static final String ALIAS = "webhook";
  private static final int VALID_DAYS = 397;
  private static final Duration RENEW_BEFORE = Duration.ofDays(30);
  private static final Duration KEYTOOL_TIMEOUT = Duration.ofSeconds(30);

  private final Path directory;
  private final InstantSource clock;

  ServingCertificate(Path directory, InstantSource clock) {
    this.directory = directory;
    this.clock = clock;
  }

  /** The stored key and certificate, or new ones. */
  KeyCertOptions obtain() {
    Path store = directory.resolve(FILE_NAME);
    if (!isUsable(store)) {
      make(store);
    }
    return new PfxOptions().setPath(store.toString()).setPassword(PASSWORD);
  }

  private boolean isUsable(Path store) {
    try {
      KeyStore keys = KeyStoreUtils.loadKeyStore(store, PASSWORD.toCharArray());
      return keys.getCertificate(ALIAS) instanceof X509Certificate certificate
          && certificate.getNotAfter().toInstant().isAfter(renewalTime());
    } catch (GenericException | KeyStoreException e) {
      return false; // missing, damaged or of another program: it is replaced
    }
  }

  private Instant renewalTime() {
    return clock.instant().plus(RENEW_BEFORE);
  }

  private void make(Path store) {
    try {
      Files.createDirectories(directory);
      Path workplace =
          Files.createTempDirectory(
              directory,
              "certificate",
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Path part = workplace.resolve(FILE_NAME);
      try {
        keytool(part);
        Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rw-------"));
        Files.move(
            part, store, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(part);
        Files.delete(workplace);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * With one round of key derivation in place of the JDK's 10,000, each of six in a start: they
   * slow down who guesses a password, and this one is no secret.
   */
  private static void keytool(Path store) throws IOException {
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    List<String> command =
        List.of(
            keytool.toString(),
            "-J-XX:TieredStopAtLevel=1",
            "-J-XX:+UseSerialGC",
            "-J-Dkeystore.pkcs12.certPbeIterationCount=1",
            "-J-Dkeystore.pkcs12.keyPbeIterationCount=1",
            "-J-Dkeystore.pkcs12.macIterationCount=1",
            "-genkeypair",
            "-alias",
            ALIAS,
            "-keyalg",
            "EC",
            "-groupname",
            "secp256r1",
            "-validity",
            String.valueOf(VALID_DAYS),
            "-dname",
            "CN=cotenant",
            "-ext",
            "san=dns:localhost,ip:127.0.0.1",
            "-ext",
            "eku=serverAuth",
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            "-storepass",
            PASSWORD);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!process.waitFor(KEYTOOL_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
          || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException("keytool made no certificate: " + said.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while keytool was running", e);
    }
  }
}
