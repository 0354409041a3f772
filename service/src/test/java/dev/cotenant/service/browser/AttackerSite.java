package dev.cotenant.service.browser;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A web site on loopback that serves one page and takes the report of what the page could read. */
final class AttackerSite implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 180;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CompletableFuture<Report> report = new CompletableFuture<>();
  private final HttpServer server;
  private volatile String page = "";

  /**
   * What a page tells.
   *
   * @param attempts how many requests it tried to send
   * @param read answers that it could read
   */
  record Report(int attempts, List<String> read) {
    static Report of(String text) {
      List<String> lines = text.lines().toList();
      return new Report(Integer.parseInt(lines.getFirst()), lines.subList(1, lines.size()));
    }
  }

  /**
   * @param rebind runs when the page asks for it
   */
  AttackerSite(Runnable rebind) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", exchange -> answer(exchange, page));
    server.createContext(
        "/rebind",
        exchange -> {
          rebind.run();
          answer(exchange, "");
        });
    server.createContext(
        "/report",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          answer(exchange, "");
          report.complete(Report.of(new String(body, StandardCharsets.UTF_8)));
        });
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** Serves a page of the test's resources, with words replaced by what follows them. */
  void serve(String resource, String... replacements) throws IOException {
    try (InputStream in = AttackerSite.class.getResourceAsStream("/browser/" + resource)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (int i = 0; i < replacements.length; i += 2) {
        text = text.replace('"' + replacements[i] + '"', '"' + replacements[i + 1] + '"');
      }
      page = text;
    }
  }

  Report awaitReport() {
    return report.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
  }

  /** Closes each connection, so that the next request is looked up anew. */
  private static void answer(HttpExchange exchange, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "text/html");
    exchange.getResponseHeaders().add("Connection", "close");
    exchange.getResponseHeaders().add("X-Attacker", "yes");
    exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
