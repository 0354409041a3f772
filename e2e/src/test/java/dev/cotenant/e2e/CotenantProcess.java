package dev.cotenant.e2e;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The packaged service as a process of its own, in mode enforce, with a cluster. */
final class CotenantProcess implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Process process;
  private final Path data;
  private final int port;

  private CotenantProcess(Process process, Path data, int port) {
    this.process = process;
    this.data = data;
    this.port = port;
  }

  /** What all replicas have in common. */
  record Install(Path folder, Path recordedCluster, Path kubeconfig) {}

  /** Starts a replica; its webhooks listen at a port that the caller chooses. */
  static CotenantProcess start(Install install, String name, int webhookPort) {
    try {
      Path data = Files.createDirectories(install.folder().resolve("data-" + name));
      int port = TestControlPlane.freePort();
      Path root = Path.of(System.getProperty("cotenant.root"));
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m"));
      for (String option :
          List.of(
              "cotenant.home=" + root,
              "cotenant.data.directory=" + data,
              "cotenant.cluster.recorded=" + install.recordedCluster(),
              "cotenant.policy.mode=enforce",
              "cotenant.webhook.port=" + webhookPort,
              "cotenant.kubernetes.enabled=true",
              "cotenant.kubernetes.kubeconfig=" + install.kubeconfig(),
              "cotenant.kubernetes.request-timeout=2s",
              "cotenant.kubernetes.lease-duration=6s",
              "cotenant.kubernetes.renew-deadline=4s",
              "cotenant.kubernetes.retry-period=500ms",
              "quarkus.http.port=" + port)) {
        command.add("-D" + option);
      }
      command.add("-jar");
      command.add(root.resolve("service/target/quarkus-app/quarkus-run.jar").toString());
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().put("HOSTNAME", name);
      Path log = install.folder().resolve(name + "-" + port + ".log");
      Process process = builder.redirectOutput(log.toFile()).start();
      CotenantProcess started = new CotenantProcess(process, data, port);
      Eventually.holds("the service is ready, see " + log, started::isReady);
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isReady() {
    if (!process.isAlive()) {
      throw new IllegalStateException("the service has ended by itself");
    }
    return get("/q/health/ready").startsWith("200 ");
  }

  /** Whether it leads and decides. */
  boolean isDeciding() {
    return get("/q/health/group/decisions").startsWith("200 ");
  }

  /** The sum of a metric over its labels; 0 where it is not shown. */
  double metric(String name) {
    return get("/q/metrics")
        .lines()
        .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** Code and body. */
  String get(String path) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
    try {
      HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
      return response.statusCode() + " \n" + response.body();
    } catch (IOException e) {
      return "none";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "none";
    }
  }

  /** The PEM of its webhooks' certificate, as a webhook configuration wants it. */
  String certificateAuthority() {
    try (InputStream in = Files.newInputStream(data.resolve("webhook.p12"))) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, "cotenant".toCharArray());
      String body =
          Base64.getMimeEncoder(64, new byte[] {'\n'})
              .encodeToString(keys.getCertificate("webhook").getEncoded());
      String pem = "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
      return Base64.getEncoder()
          .encodeToString(pem.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Ends it without a chance to say goodbye. */
  void kill() {
    process.destroyForcibly();
    await();
  }

  /** Asks it to end. */
  @Override
  public void close() {
    process.destroy();
    await();
  }

  private void await() {
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
