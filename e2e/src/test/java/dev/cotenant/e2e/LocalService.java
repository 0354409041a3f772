package dev.cotenant.e2e;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.domain.testing.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A service as {@code ./cotenant serve} starts it on this machine, on a recorded cluster and free
 * ports.
 */
record LocalService(Process process, String url) implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  /** Starts one that writes into a folder; returns when it is ready. */
  static LocalService start(Path root, Path folder) throws IOException {
    int port = FreePort.find();
    Path log = Files.createDirectories(folder).resolve("service.log");
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx512m",
                    "-XX:TieredStopAtLevel=1",
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "-Dcotenant.home=" + root,
                    "-Dcotenant.data.directory=" + folder.resolve("data"),
                    "-Dcotenant.cluster.recorded=" + root.resolve("examples/clusters/busy.json"),
                    "-Dcotenant.models.directory=" + root.resolve("examples/models"),
                    "-Dcotenant.rest.trust-loopback=true",
                    "-Dcotenant.webhook.port=0",
                    "-Dquarkus.http.host=127.0.0.1",
                    "-Dquarkus.http.port=" + port,
                    "-jar",
                    root.resolve("service/target/quarkus-app/quarkus-run.jar").toString()))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    LocalService started = new LocalService(process, "http://127.0.0.1:" + port);
    Eventually.holds("the service is ready, see " + log, started::isReady);
    return started;
  }

  private boolean isReady() {
    if (!process.isAlive()) {
      throw new IllegalStateException("the service has ended by itself");
    }
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/q/health/ready")).build();
    try {
      return HTTP.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("the service did not end within 30 s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
