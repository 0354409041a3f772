package dev.cotenant.benchmarks.load;

import dev.cotenant.domain.quantity.Nanoseconds;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Sends one HTTP request again and again at a fixed rate over connections that stay open.
 *
 * <p>Requests are due at fixed times whether or not the one before was answered, and are measured
 * from then on: waiting in line counts.
 */
public final class PacedLoad {
  private static final int CONNECTIONS = 32;
  private static final double NANOS_PER_MILLI = 1e6;

  private final Target target;
  private final byte[] request;
  private final int perSecond;

  /** Opens a connection. */
  @FunctionalInterface
  public interface Connector {
    Socket connect() throws IOException;
  }

  /**
   * Where requests go.
   *
   * @param connector opens connections
   * @param request as it is sent
   * @param expected whether a body of status 200 is the expected answer
   */
  public record Target(Connector connector, String request, Predicate<String> expected) {
    /** A request without a body. */
    public static String get(String path) {
      return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }

    /** A request that posts JSON. */
    public static String post(String path, String body) {
      return "POST "
          + path
          + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
          + body.getBytes(StandardCharsets.UTF_8).length
          + "\r\n\r\n"
          + body;
    }
  }

  /** Load on a target. */
  public PacedLoad(Target target, int perSecond) {
    this.target = target;
    this.request = target.request().getBytes(StandardCharsets.UTF_8);
    this.perSecond = perSecond;
  }

  /**
   * Latencies of a run, failures as the slowest.
   *
   * @param sorted nanoseconds of each request
   * @param seconds of the run
   */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  public record Latencies(long[] sorted, double seconds) {
    /** A quantile in milliseconds. */
    public double millis(double quantile) {
      return sorted[(int) (quantile * (sorted.length - 1))] / NANOS_PER_MILLI;
    }

    @Override
    public String toString() {
      long answered = Arrays.stream(sorted).filter(each -> each < Long.MAX_VALUE).count();
      return String.format(
          Locale.ROOT,
          "%d requests, %.0f/s achieved, %d failed: p50 %.2f ms, p90 %.2f ms, p99 %.2f ms, p99.9"
              + " %.2f ms, most %.2f ms",
          sorted.length,
          answered / seconds,
          sorted.length - answered,
          millis(0.5),
          millis(0.9),
          millis(0.99),
          millis(0.999),
          millis(1));
    }
  }

  /** Sends for so many seconds. */
  public Latencies run(int seconds) throws InterruptedException {
    int perConnection = perSecond * seconds / CONNECTIONS;
    long[] nanos = new long[perConnection * CONNECTIONS];
    Arrays.fill(nanos, Long.MAX_VALUE);
    long start = System.nanoTime() + (long) Nanoseconds.PER_SECOND;
    Thread[] threads = new Thread[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++) {
      int connection = i;
      threads[i] = Thread.ofPlatform().start(() -> connection(connection, start, nanos));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    double elapsed = (System.nanoTime() - start) / Nanoseconds.PER_SECOND;
    Arrays.sort(nanos);
    return new Latencies(nanos, elapsed);
  }

  private void connection(int connection, long start, long[] nanos) {
    try (Socket socket = target.connector().connect()) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      for (int i = connection; i < nanos.length; i += CONNECTIONS) {
        long due = start + (long) (i * Nanoseconds.PER_SECOND / perSecond);
        LockSupport.parkNanos(due - System.nanoTime());
        socket.getOutputStream().write(request);
        LoadResponse answer = LoadResponse.read(in);
        if (answer.isOk() && target.expected().test(answer.body())) {
          nanos[i] = System.nanoTime() - due;
        }
      }
    } catch (IOException e) {
      System.err.println("A connection was lost: " + e.getMessage());
    }
  }
}
