package dev.cotenant.forecast.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.forecast.prometheus.MetricsReading.Cause;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who a server is, and who this client is: authorities, certificates, tokens, tenants. */
@Timeout(60)
class ServerAccessTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_700_000_010);
  private static final PrometheusSettings.Access NONE = PrometheusSettings.Access.NONE;

  @TempDir private static Path shared;
  @TempDir private Path folder;
  private static TestCertificates certificates;

  @BeforeAll
  static void make() throws IOException, InterruptedException {
    certificates =
        new TestCertificates(shared)
            .authority("ca")
            .authority("stranger")
            .signed("server", "EC", "ca", "ip:127.0.0.1")
            .signed("elsewhere", "EC", "ca", "dns:elsewhere.example")
            .signed("client-EC", "EC", "ca", "dns:cotenant")
            .signed("client-RSA", "RSA", "ca", "dns:cotenant")
            .signed("client-Ed25519", "Ed25519", "ca", "dns:cotenant");
  }

  private static PrometheusSettings.Access trusting(String authority)
      throws IOException, GeneralSecurityException {
    return new PrometheusSettings.Access(
        Map.of(),
        Optional.empty(),
        Optional.of(certificates.certificate(authority)),
        Optional.empty(),
        Optional.empty());
  }

  private static PrometheusSettings.Access being(String client)
      throws IOException, GeneralSecurityException {
    return with(certificates.certificate(client), certificates.key(client));
  }

  private static PrometheusSettings.Access with(Path certificate, Path key)
      throws IOException, GeneralSecurityException {
    return new PrometheusSettings.Access(
        Map.of(),
        Optional.empty(),
        Optional.of(certificates.certificate("ca")),
        Optional.of(certificate),
        Optional.of(key));
  }

  private static PrometheusSettings.Access token(Path file) {
    return new PrometheusSettings.Access(
        Map.of("X-Scope-OrgID", "team"),
        Optional.of(file),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static MetricsReading read(URI url, PrometheusSettings.Access access) {
    PrometheusSettings defaults = PrometheusSettings.of(url);
    PrometheusSettings settings =
        new PrometheusSettings(
            url,
            defaults.metrics(),
            defaults.range(),
            access,
            new PrometheusSettings.Limits(
                Duration.ofSeconds(10), Duration.ofSeconds(20), 1 << 20, Duration.ZERO));
    try (PrometheusClient client = new PrometheusClient(settings)) {
      return client.read(NOW);
    }
  }

  private static MetricsReading.Failed fail(
      FakePrometheus server, PrometheusSettings.Access access) {
    try (server) {
      MetricsReading.Failed failed = (MetricsReading.Failed) read(server.url(), access);
      assertThat(failed.message()).hasLineCount(1).contains(server.url().toString());
      return failed;
    }
  }

  private static FakePrometheus secure(String name) throws IOException, GeneralSecurityException {
    return FakePrometheus.secure(certificates.server(name, "ca"));
  }

  private static FakePrometheus mutual() throws IOException, GeneralSecurityException {
    return FakePrometheus.mutual(certificates.server("server", "ca"));
  }

  @Test
  void readsFromAServerThatAConfiguredAuthoritySigned()
      throws IOException, GeneralSecurityException {
    try (FakePrometheus server = secure("server")) {
      server.series("{\"metric\":{\"UUID\":\"GPU-1\"},\"values\":[[1699999990,\"5\"]]}");
      MetricsReading.Fetched fetched = (MetricsReading.Fetched) read(server.url(), trusting("ca"));
      assertThat(fetched.devices()).extracting(DeviceMetrics::uuid).containsExactly("GPU-1");
    }
  }

  @Test
  void refusesAServerThatAnotherAuthoritySigned() throws IOException, GeneralSecurityException {
    FakePrometheus server = secure("server");
    MetricsReading.Failed failed = fail(server, trusting("stranger"));
    assertThat(failed.cause()).isEqualTo(Cause.UNTRUSTED);
    assertThat(failed.message()).contains("certificate is not trusted", "certificate authority");
    assertThat(server.requests()).isEmpty();
  }

  @Test
  void refusesAServerOfOurOwnAuthorityWhereNoneIsConfigured()
      throws IOException, GeneralSecurityException {
    MetricsReading.Failed failed = fail(secure("server"), NONE);
    assertThat(failed.cause()).isEqualTo(Cause.UNTRUSTED);
    assertThat(failed.message()).contains("certificate is not trusted");
  }

  @Test
  void refusesACertificateOfAnotherHost() throws IOException, GeneralSecurityException {
    MetricsReading.Failed failed = fail(secure("elsewhere"), trusting("ca"));
    assertThat(failed.cause()).isEqualTo(Cause.UNTRUSTED);
    assertThat(failed.message()).contains("127.0.0.1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"client-EC", "client-RSA", "client-Ed25519"})
  void showsItsCertificateToAServerThatWantsOne(String client)
      throws IOException, GeneralSecurityException {
    try (FakePrometheus server = mutual()) {
      assertThat(read(server.url(), being(client))).isInstanceOf(MetricsReading.Fetched.class);
      assertThat(server.requests()).hasSize(2);
    }
  }

  @Test
  void readsAKeyInPkcs1() throws IOException, GeneralSecurityException {
    Path certificate = certificates.certificate("client-RSA");
    try (FakePrometheus server = mutual()) {
      assertThat(read(server.url(), with(certificate, certificates.oldKey("client-RSA"))))
          .isInstanceOf(MetricsReading.Fetched.class);
    }
  }

  @Test
  void isRefusedWithoutACertificateWhereOneIsWanted() throws IOException, GeneralSecurityException {
    isRefusedBecauseOfItsCertificate(trusting("ca"));
  }

  @Test
  void isRefusedWithACertificateOfAStranger() throws IOException, GeneralSecurityException {
    isRefusedBecauseOfItsCertificate(being("stranger"));
  }

  /** TLS 1.3 refuses after the handshake: its alert is seen, or the closed connection before it. */
  private static void isRefusedBecauseOfItsCertificate(PrometheusSettings.Access access)
      throws IOException, GeneralSecurityException {
    FakePrometheus server = mutual();
    MetricsReading.Failed failed = fail(server, access);
    assertThat(failed.cause()).isIn(Cause.UNTRUSTED, Cause.UNREACHABLE);
    assertThat(failed.message()).contains("client certificate");
    assertThat(server.requests()).isEmpty();
  }

  /** As servers written in Go do, Prometheus among them. */
  @Test
  void saysThatAPlainServerSpeaksNoTls()
      throws IOException, GeneralSecurityException, InterruptedException {
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread plain = Thread.startVirtualThread(() -> answerPlainly(listening));
      URI url = URI.create("https://127.0.0.1:" + listening.getLocalPort());
      MetricsReading.Failed failed = (MetricsReading.Failed) read(url, trusting("ca"));
      assertThat(failed.cause()).isEqualTo(Cause.UNTRUSTED);
      assertThat(failed.message()).hasLineCount(1).contains(url.toString(), "speaks no TLS");
      plain.join();
    }
  }

  private static void answerPlainly(ServerSocket listening) {
    try (Socket connection = listening.accept()) {
      assertThat(connection.getInputStream().read(new byte[1024])).isPositive();
      connection
          .getOutputStream()
          .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void refusesFilesThatHoldNoCertificateOrKey() throws IOException, GeneralSecurityException {
    Path text = Files.writeString(folder.resolve("text"), "no PEM\n");
    Path certificate = certificates.certificate("client-EC");
    Path key = certificates.key("client-EC");
    Path missing = folder.resolve("missing.pem");
    refusesFiles(with(text, key), text, "");
    refusesFiles(with(certificate, text), text, "BEGIN PRIVATE KEY");
    refusesFiles(with(certificate, missing), missing, "no such file");
    refusesFiles(with(missing, key), missing, "no such file");
    Path old =
        Files.writeString(folder.resolve("rsa.key"), "-----BEGIN RSA PRIVATE KEY-----\nAA==");
    refusesFiles(with(certificate, old), old, "BEGIN PRIVATE KEY");
  }

  @Test
  void refusesAKeyOfAnotherCertificate() throws IOException, GeneralSecurityException {
    Path certificate = certificates.certificate("client-EC");
    Path key = certificates.key("server");
    refusesFiles(with(certificate, key), certificate, "not the key of this certificate");
    Path rsa = certificates.key("client-RSA");
    refusesFiles(with(certificate, rsa), certificate, "not the key of this certificate");
  }

  private static void refusesFiles(PrometheusSettings.Access access, Path named, String reason) {
    assertThatThrownBy(() -> read(URI.create("https://127.0.0.1:1"), access))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("bad-tls-file"))
        .hasMessageContaining(named.toString())
        .hasMessageContaining(reason);
  }

  @Test
  void readsTheTokenAnewForEachRequestAndSendsTheTenantAlong() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "first\n");
    try (FakePrometheus server = new FakePrometheus()) {
      read(server.url(), token(file));
      Files.writeString(file, "second\n");
      read(server.url(), token(file));
      assertThat(server.requests())
          .extracting(request -> request.headers().get("Authorization"))
          .containsExactly("Bearer first", "Bearer first", "Bearer second", "Bearer second");
      assertThat(server.requests())
          .allSatisfy(
              request -> assertThat(request.headers()).containsEntry("X-scope-orgid", "team"));
    }
  }

  @Test
  void saysWhichTokenFileCannotBeUsedAndAsksNothingWithoutIt() throws IOException {
    Path missing = folder.resolve("no-token");
    for (Path file :
        new Path[] {
          missing,
          Files.writeString(folder.resolve("empty"), " \n"),
          Files.writeString(folder.resolve("two-lines"), "a\nb"),
          Files.write(folder.resolve("binary"), new byte[] {(byte) 0xff, 1})
        }) {
      FakePrometheus server = new FakePrometheus();
      MetricsReading.Failed failed = fail(server, token(file));
      assertThat(failed.cause()).isEqualTo(Cause.NO_TOKEN);
      assertThat(failed.message()).contains(file.toString());
      assertThat(server.requests()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403})
  void saysThatWhoWeAreWasNotAccepted(int status) throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "s3cret");
    MetricsReading.Failed failed =
        fail(
            new FakePrometheus().range(FakePrometheus.status(status, "Unauthorized")), token(file));
    assertThat(failed.cause()).isEqualTo(Cause.REFUSED);
    assertThat(failed.message()).contains("HTTP " + status, "token").doesNotContain("s3cret");
  }
}
