package dev.cotenant.service.webhook;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/** The files of the webhooks' certificate are replaced while the service runs. */
@QuarkusTest
@TestProfile(EnforcingService.class)
class CertificateRenewalTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Inject WebhookServer server;

  private SSLSocket connect() throws IOException {
    SSLSocket socket =
        (SSLSocket)
            WebhookClient.trustingAll().getSocketFactory().createSocket("127.0.0.1", server.port());
    socket.startHandshake();
    return socket;
  }

  private String served() {
    try (SSLSocket socket = connect()) {
      return nameOn(socket);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String nameOn(SSLSocket socket) throws IOException {
    X509Certificate certificate = (X509Certificate) socket.getSession().getPeerCertificates()[0];
    return certificate.getSubjectX500Principal().getName();
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean() && System.nanoTime() < end) {
      Thread.sleep(20);
    }
  }

  private static double metric(String name) {
    return given()
        .get("/q/metrics")
        .asString()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  private static void replace(PemFiles.Pair pair) {
    EnforcingService.files().write(pair.certificate(), pair.key());
  }

  @Test
  void servesARenewedCertificateToNewHandshakesWhileARequestGoesOn()
      throws IOException, InterruptedException {
    byte[] review = WebhookClient.review("resnet50", 8);
    PemFiles.Pair renewed = EnforcingService.files().make("renewed", "RSA", "-validity", "30");
    try (SSLSocket before = connect()) {
      String old = nameOn(before);
      String head =
          "POST /webhooks/mutate HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
              + review.length
              + "\r\n\r\n";
      before.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      before.getOutputStream().write(review, 0, review.length / 2);
      before.getOutputStream().flush();

      replace(renewed);
      await(() -> served().equals("CN=renewed"));

      assertThat(served()).isEqualTo("CN=renewed").isNotEqualTo(old);
      before.getOutputStream().write(Arrays.copyOfRange(review, review.length / 2, review.length));
      before.getOutputStream().flush();
      BufferedReader answer =
          new BufferedReader(
              new InputStreamReader(before.getInputStream(), StandardCharsets.US_ASCII));
      assertThat(answer.readLine()).isEqualTo("HTTP/1.1 200 OK");
      assertThat(nameOn(before)).isEqualTo(old);
    }
    // 30 days from about now
    assertThat(metric("cotenant_certificate_expiry_timestamp_seconds"))
        .isCloseTo(
            System.currentTimeMillis() / 1000.0 + Duration.ofDays(30).toSeconds(),
            org.assertj.core.data.Offset.offset(3_600.0));
  }

  @Test
  void keepsTheCertificateAndCountsWhenTheNewFilesAreBroken()
      throws IOException, InterruptedException {
    PemFiles.Pair good = EnforcingService.files().make("good", "EC");
    PemFiles.Pair other = EnforcingService.files().make("other", "EC");
    PemFiles.Pair expired =
        EnforcingService.files().make("expired", "EC", "-startdate", "-10d", "-validity", "5");
    replace(good);
    await(() -> served().equals("CN=good"));

    for (PemFiles.Pair broken :
        new PemFiles.Pair[] {
          new PemFiles.Pair("no certificate", good.key()),
          new PemFiles.Pair(other.certificate(), good.key()),
          new PemFiles.Pair(good.certificate().substring(0, 200), good.key()),
          expired
        }) {
      double before = metric("cotenant_certificate_reload_failures_total");
      replace(broken);
      await(() -> metric("cotenant_certificate_reload_failures_total") > before + 1);
      assertThat(metric("cotenant_certificate_reload_failures_total")).isGreaterThan(before);
      assertThat(served()).isEqualTo("CN=good");
    }

    replace(other);
    await(() -> served().equals("CN=other"));
    assertThat(served()).isEqualTo("CN=other");
  }
}
