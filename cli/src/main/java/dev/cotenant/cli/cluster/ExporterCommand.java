package dev.cotenant.cli.cluster;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.cotenant.cli.files.Installation;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.PortOption;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.cluster.DcgmReplay;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** An exporter for demonstrations: a recorded cluster, replayed on {@code /metrics}. */
@Command(
    name = "exporter",
    mixinStandardHelpOptions = true,
    description = {
      "Replays a recorded cluster in the format of DCGM's exporter, on /metrics of this machine.",
      "Point a Prometheus at it and the service at that Prometheus. Ctrl-C ends it."
    })
public final class ExporterCommand implements Callable<Integer> {
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private final Console console;
  private final Supplier<Engine> engine;
  private final Installation installation;
  private final InstantSource clock;

  @Mixin private SnapshotOption recorded = new SnapshotOption();

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "9400",
      description = "Port on 127.0.0.1; 0 selects a free port (default 9400).")
  private int port;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description = "Time for which each sample is shown (default 30).")
  private long intervalSeconds;

  public ExporterCommand(
      Console console, Supplier<Engine> engine, Installation installation, InstantSource clock) {
    this.console = console;
    this.engine = engine;
    this.installation = installation;
    this.clock = clock;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (intervalSeconds < 1) {
      throw InputException.invalidArgument(
          "bad-interval", "--interval must be at least 1, is " + intervalSeconds + ".");
    }
    Path file = recorded.file(installation);
    HttpServer server = start(file);
    console.line(
        "Replaying " + file + " on http://127.0.0.1:" + server.getAddress().getPort() + "/metrics");
    new CountDownLatch(1).await(); // until the process is stopped
    return 0;
  }

  /** Opens the port; the server answers from then on. */
  HttpServer start(Path file) {
    PortOption option = new PortOption(port, "--port");
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), option.numberFrom(0));
    DcgmReplay replay =
        new DcgmReplay(engine.get().readCluster(file), Duration.ofSeconds(intervalSeconds));
    Instant began = clock.instant();
    try {
      HttpServer server = HttpServer.create(address, 0);
      server.createContext(
          "/",
          exchange -> {
            boolean metrics = exchange.getRequestURI().getPath().equals("/metrics");
            String text =
                metrics ? replay.metrics(Duration.between(began, clock.instant())) : "/metrics\n";
            answer(exchange, metrics ? OK : NOT_FOUND, text);
          });
      server.start();
      return server;
    } catch (IOException e) {
      throw option.notOpened(e);
    }
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
