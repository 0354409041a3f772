package dev.cotenant.service.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServingCertificateTest {
  @TempDir Path directory;

  private byte[] obtainAt(Instant now) throws IOException {
    new ServingCertificate(directory, InstantSource.fixed(now)).obtain();
    return Files.readAllBytes(directory.resolve(ServingCertificate.FILE_NAME));
  }

  @Test
  void isMadeForThisMachine() throws IOException, GeneralSecurityException {
    obtainAt(Instant.now());
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(directory.resolve(ServingCertificate.FILE_NAME))) {
      keys.load(in, "cotenant".toCharArray());
    }
    X509Certificate certificate = (X509Certificate) keys.getCertificate("webhook");
    // Subject alternative names: type 2 is a DNS name, type 7 an IP address [RFC 5280, 4.2.1.6].
    assertThat(certificate.getSubjectAlternativeNames())
        .containsExactlyInAnyOrder(List.of(2, "localhost"), List.of(7, "127.0.0.1"));
    try (var files = Files.list(directory)) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void isKeptUntilItIsAboutToExpire() throws IOException {
    Instant now = Instant.now();
    byte[] made = obtainAt(now);
    assertThat(obtainAt(now.plus(Duration.ofDays(300)))).isEqualTo(made);
    assertThat(obtainAt(now.plus(Duration.ofDays(380)))).isNotEqualTo(made);
  }

  @Test
  void replacesADamagedFile() throws IOException {
    Files.writeString(directory.resolve(ServingCertificate.FILE_NAME), "damaged");
    assertThat(obtainAt(Instant.now()).length).isGreaterThan(100);
  }
}
