package dev.cotenant.cli.demo;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A port of loopback for a {@link DemoCluster}. Who connects before the cluster is there waits, so
 * that the service can start meanwhile.
 */
public final class DemoAddress implements AutoCloseable {
  static final String METRICS = "/metrics-server";

  private final HttpServer server;

  /** A free port. */
  public DemoAddress() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  HttpServer server() {
    return server;
  }

  /** For the service's {@code cotenant.prometheus.url}. */
  public String metricsUrl() {
    return url() + METRICS;
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Writes a kubeconfig that leads here. */
  public Path kubeconfig(Path folder) throws IOException {
    Files.createDirectories(folder);
    return Files.writeString(
        folder.resolve("kubeconfig"),
        """
        apiVersion: v1
        kind: Config
        current-context: demo
        clusters: [{name: demo, cluster: {server: "%s"}}]
        users: [{name: demo, user: {token: "demo"}}]
        contexts: [{name: demo, context: {cluster: demo, user: demo}}]
        """
            .formatted(url()));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
