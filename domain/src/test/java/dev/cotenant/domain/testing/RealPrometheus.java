package dev.cotenant.domain.testing;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A Prometheus of the Debian package with back-dated samples. */
public final class RealPrometheus {
  private static final int POLLS = 600;
  private static final int SECONDS = 300;

  private final Process process;
  private final Path folder;
  private final int port;

  private RealPrometheus(Process process, Path folder, int port) {
    this.process = process;
    this.folder = folder;
    this.port = port;
  }

  /**
   * Starts a server and waits until it is ready.
   *
   * @param folder for its files
   * @param openMetrics a file in the OpenMetrics text format
   */
  public static RealPrometheus start(Path folder, Path openMetrics)
      throws IOException, InterruptedException {
    Path prometheus = OutsideData.requirePackage("prometheus", Path.of("/usr/bin/prometheus"));
    Path promtool = OutsideData.requirePackage("prometheus", Path.of("/usr/bin/promtool"));
    Path data = folder.resolve("data");
    run(
        folder,
        promtool.toString(),
        "tsdb",
        "create-blocks-from",
        "--max-block-duration=240h",
        "openmetrics",
        openMetrics.toString(),
        data.toString());
    Path configuration =
        Files.writeString(folder.resolve("prometheus.yml"), "global: {scrape_interval: 30s}\n");
    int port = FreePort.find();
    Process process =
        new ProcessBuilder(
                prometheus.toString(),
                "--config.file=" + configuration,
                "--storage.tsdb.path=" + data,
                "--storage.tsdb.retention.time=100y",
                "--web.listen-address=127.0.0.1:" + port)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("prometheus.log").toFile())
            .start();
    RealPrometheus server = new RealPrometheus(process, folder, port);
    server.waitUntilReady();
    return server;
  }

  private static void run(Path folder, String... command) throws IOException, InterruptedException {
    Path log = folder.resolve("promtool.log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
    if (!ended || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new AssertionError("promtool failed: " + Files.readString(log));
    }
  }

  private void waitUntilReady() throws IOException, InterruptedException {
    HttpRequest ready = HttpRequest.newBuilder(url().resolve("/-/ready")).build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      for (int i = 0; i < POLLS && process.isAlive(); i++) {
        if (isReady(client, ready)) {
          return;
        }
        Thread.sleep(100);
      }
    }
    process.destroyForcibly();
    throw new AssertionError(Files.readString(folder.resolve("prometheus.log")));
  }

  private static boolean isReady(HttpClient client, HttpRequest ready)
      throws IOException, InterruptedException {
    try {
      return client.send(ready, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (ConnectException notListening) {
      return false;
    }
  }

  /** Its base address. */
  public URI url() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** Ends it. */
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }
}
