package dev.cotenant.benchmarks.load;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
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
  private static final double NANOS = 1e9;

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
   * What was seen.
   *
   * @param requests how many were due
   * @param failed how many were not answered as expected; they count as the slowest
   * @param perSecond how many were answered in a second
   * @param millis the quantiles of {@link #SHARES}
   */
  public record Seen(int requests, int failed, double perSecond, List<Double> millis) {
    /** Which quantiles are shown. */
    public static final List<Double> SHARES = List.of(0.5, 0.9, 0.99, 0.999, 1.0);

    private static final double NANOS_PER_MILLI = 1e6;

    public Seen {
      millis = List.copyOf(millis);
    }

    private static Seen of(long[] sorted, double seconds) {
      int answered = (int) Arrays.stream(sorted).filter(each -> each < Long.MAX_VALUE).count();
      return new Seen(
          sorted.length,
          sorted.length - answered,
          answered / seconds,
          SHARES.stream()
              .map(share -> sorted[(int) (share * (sorted.length - 1))] / NANOS_PER_MILLI)
              .toList());
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%d requests, %.0f/s achieved, %d failed: p50 %.2f ms, p90 %.2f ms, p99 %.2f ms, p99.9"
              + " %.2f ms, most %.2f ms",
          requests,
          perSecond,
          failed,
          millis.get(0),
          millis.get(1),
          millis.get(2),
          millis.get(3),
          millis.get(4));
    }
  }

  /** Sends for so many seconds. */
  public Seen run(int seconds) throws InterruptedException {
    int perConnection = perSecond * seconds / CONNECTIONS;
    long[] nanos = new long[perConnection * CONNECTIONS];
    Arrays.fill(nanos, Long.MAX_VALUE);
    long start = System.nanoTime() + (long) NANOS;
    Thread[] threads = new Thread[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++) {
      int connection = i;
      threads[i] = Thread.ofPlatform().start(() -> connection(connection, start, nanos));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    double elapsed = (System.nanoTime() - start) / NANOS;
    Arrays.sort(nanos);
    return Seen.of(nanos, elapsed);
  }

  private void connection(int connection, long start, long[] nanos) {
    try (Socket socket = target.connector().connect()) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      for (int i = connection; i < nanos.length; i += CONNECTIONS) {
        long due = start + (long) (i * NANOS / perSecond);
        LockSupport.parkNanos(due - System.nanoTime());
        socket.getOutputStream().write(request);
        if (target.expected().test(answer(in))) {
          nanos[i] = System.nanoTime() - due;
        }
      }
    } catch (IOException e) {
      System.err.println("A connection was lost: " + e.getMessage());
    }
  }

  /** The body of one answer; empty where its status is not 200. */
  private static String answer(InputStream in) throws IOException {
    String status = line(in);
    int length = 0;
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Integer.parseInt(header.substring("content-length:".length()).strip());
      }
    }
    String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    return status.contains(" 200 ") ? body : "";
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
