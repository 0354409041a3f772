package dev.cotenant.benchmarks.rest;

import dev.cotenant.benchmarks.load.PacedLoad;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Locale;

/**
 * Requests predictions of a service on this machine of a registered model at a fixed rate, and for
 * an empty answer at the same rate in the same run: what the machine's load adds to both shows in
 * the second.
 */
public final class PredictionLoad {
  private static final int WARM_UP_SECONDS = 10;
  private static final String EMPTY = "/q/health/live";
  private static final double TAIL = 0.99;

  private PredictionLoad() {}

  /** Arguments: port, requests a second, seconds, model. */
  public static void main(String[] arguments) throws InterruptedException {
    int port = Integer.parseInt(arguments[0]);
    int perSecond = Integer.parseInt(arguments[1]);
    int seconds = Integer.parseInt(arguments[2]);
    String body = "{\"model\":\"" + arguments[3] + "\",\"device\":\"a100-40gb\",\"batch_size\":32}";
    PacedLoad predictions = load(port, PacedLoad.Target.post("/v1/predictions", body), perSecond);
    PacedLoad empty = load(port, PacedLoad.Target.get(EMPTY), perSecond);
    predictions.run(WARM_UP_SECONDS);
    empty.run(WARM_UP_SECONDS);
    PacedLoad.Latencies answered = predictions.run(seconds);
    PacedLoad.Latencies nothing = empty.run(seconds);
    System.out.println("predictions: " + answered);
    System.out.println("GET " + EMPTY + ": " + nothing);
    System.out.printf(
        Locale.ROOT,
        "p99 of predictions / p99 of the empty endpoint: %.1f; load average %.1f on %d cores%n",
        answered.millis(TAIL) / nothing.millis(TAIL),
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
        Runtime.getRuntime().availableProcessors());
  }

  private static PacedLoad load(int port, String request, int perSecond) {
    return new PacedLoad(
        new PacedLoad.Target(() -> connect(port), request, answer -> true), perSecond);
  }

  private static Socket connect(int port) throws IOException {
    Socket socket = new Socket();
    socket.setTcpNoDelay(true);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return socket;
  }
}
