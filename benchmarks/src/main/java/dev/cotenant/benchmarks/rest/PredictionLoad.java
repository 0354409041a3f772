package dev.cotenant.benchmarks.rest;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks a service on this machine for predictions of a registered model at a fixed rate, and says
 * how long the answers took. Requests are due at fixed times whether or not the one before was
 * answered, and are measured from then on: waiting in line counts.
 */
public final class PredictionLoad {
  private static final int CONNECTIONS = 32;
  private static final int WARM_UP_SECONDS = 10;
  private static final double NANOS = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;

  private final int port;
  private final int perSecond;
  private final byte[] request;
  private final AtomicInteger failed = new AtomicInteger();

  private PredictionLoad(int port, int perSecond, String model) {
    this.port = port;
    this.perSecond = perSecond;
    String body = "{\"model\":\"" + model + "\",\"device\":\"a100-40gb\",\"batch_size\":32}";
    request =
        ("POST /v1/predictions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: "
                + body.length()
                + "\r\n\r\n"
                + body)
            .getBytes(StandardCharsets.US_ASCII);
  }

  /** Arguments: port, requests a second, seconds, model. */
  public static void main(String[] arguments) throws InterruptedException {
    int port = Integer.parseInt(arguments[0]);
    int perSecond = Integer.parseInt(arguments[1]);
    int seconds = Integer.parseInt(arguments[2]);
    String model = arguments[3];
    new PredictionLoad(port, perSecond, model).run(WARM_UP_SECONDS);
    PredictionLoad load = new PredictionLoad(port, perSecond, model);
    long[] nanos = load.run(seconds);
    Arrays.sort(nanos);
    System.out.printf(
        Locale.ROOT,
        "%d requests at %d/s, %d failed: p50 %.2f ms, p90 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, most"
            + " %.2f ms%n",
        nanos.length,
        perSecond,
        load.failed.get(),
        quantile(nanos, 0.5),
        quantile(nanos, 0.9),
        quantile(nanos, 0.99),
        quantile(nanos, 0.999),
        quantile(nanos, 1));
  }

  private static double quantile(long[] sorted, double share) {
    return sorted[(int) (share * (sorted.length - 1))] / NANOS_PER_MILLI;
  }

  private long[] run(int seconds) throws InterruptedException {
    int perConnection = perSecond * seconds / CONNECTIONS;
    long[] nanos = new long[perConnection * CONNECTIONS];
    long start = System.nanoTime() + (long) NANOS;
    Thread[] threads = new Thread[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++) {
      int connection = i;
      threads[i] = Thread.ofPlatform().start(() -> connection(connection, start, nanos));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return nanos;
  }

  private void connection(int connection, long start, long[] nanos) {
    try (Socket socket = new Socket()) {
      socket.setTcpNoDelay(true);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      InputStream in = new BufferedInputStream(socket.getInputStream());
      for (int i = connection; i < nanos.length; i += CONNECTIONS) {
        long due = start + (long) (i * NANOS / perSecond);
        LockSupport.parkNanos(due - System.nanoTime());
        socket.getOutputStream().write(request);
        if (!answer(in)) {
          failed.incrementAndGet();
        }
        nanos[i] = System.nanoTime() - due;
      }
    } catch (IOException e) {
      failed.incrementAndGet();
      System.err.println("A connection was lost: " + e.getMessage());
    }
  }

  /** Reads one answer; whether it is a prediction. */
  private static boolean answer(InputStream in) throws IOException {
    String status = line(in);
    int length = 0;
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Integer.parseInt(header.substring("content-length:".length()).strip());
      }
    }
    in.skipNBytes(length);
    return status.contains(" 200 ");
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("the service closed it");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }
}
