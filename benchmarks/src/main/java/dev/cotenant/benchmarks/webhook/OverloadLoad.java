package dev.cotenant.benchmarks.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cotenant.benchmarks.load.LoadResponse;
import dev.cotenant.benchmarks.load.PacedLoad;
import dev.cotenant.domain.quantity.Nanoseconds;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Offers a service on this machine more reviews than it can answer, and counts what becomes of
 * them, as the commands on the standard input say, one a line:
 *
 * <ul>
 *   <li>{@code closed SECONDS CONNECTIONS}: 32 reviews are in progress, each over the connection
 *       that rested longest, and the next is sent when one is answered; prints the answers a
 *       second;
 *   <li>{@code open RATE SECONDS}: reviews at fixed times over standing connections, as API servers
 *       keep them: over an idle one if there is one, else over a new one; prints what became of
 *       them.
 * </ul>
 */
public final class OverloadLoad {
  private static final int CLOSED_LOOP_REVIEWS = 32;
  private static final int STANDING_CONNECTIONS = 400;

  /** Open files of a process are bounded, often by 1,024 or 4,096. */
  private static final int DIALS = 512;

  private static final int TIMEOUT_MILLIS = 10_000;

  private final LocalTls target;
  private final byte[] request;
  private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
  private final Semaphore dials = new Semaphore(DIALS);

  /** What became of a review. */
  private enum Outcome {
    ANSWERED,
    REFUSED_503,
    /** The connection was refused, or cut. */
    REFUSED_CONNECTION,
    TIMED_OUT,
    /** All connections had a review in progress, and all dials too. */
    NOT_SENT
  }

  /** Outcome of a review and nanoseconds after it was due. */
  private record Result(Outcome outcome, long nanos) {
    boolean isInTime() {
      return nanos <= Nanoseconds.PER_SECOND;
    }
  }

  private record Connection(Socket socket, InputStream in) {}

  private OverloadLoad(LocalTls target, byte[] request) {
    this.target = target;
    this.request = request;
  }

  /** Arguments: port and file of a review. */
  public static void main(String[] arguments)
      throws IOException, InterruptedException, GeneralSecurityException {
    String review = Files.readString(Path.of(arguments[1]));
    OverloadLoad load =
        new OverloadLoad(
            new LocalTls(Integer.parseInt(arguments[0])),
            PacedLoad.Target.post("/webhooks/mutate", review).getBytes(UTF_8));
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String[] words = line.split(" ", -1);
      switch (words[0]) {
        case "closed" -> {
          int connections = Integer.parseInt(words[2]);
          load.connect(connections);
          System.out.printf("%.0f%n", load.closedLoop(Integer.parseInt(words[1]), connections));
        }
        case "open" -> {
          load.connect(STANDING_CONNECTIONS);
          int seconds = Integer.parseInt(words[2]);
          report(load.openLoop(Double.parseDouble(words[1]), seconds), seconds);
        }
        default -> throw new IllegalArgumentException(line + ": closed or open");
      }
    }
    System.exit(0);
  }

  /** Answers in time a second, then everything in words. */
  private static void report(Collection<Result> results, int seconds) {
    Map<Outcome, Long> counts =
        results.stream()
            .collect(Collectors.groupingBy(Result::outcome, TreeMap::new, Collectors.counting()));
    long inTime =
        results.stream()
            .filter(result -> result.outcome() == Outcome.ANSWERED && result.isInTime())
            .count();
    long late = results.stream().filter(result -> !result.isInTime()).count();
    System.out.printf(
        "%.0f %s, %d later than 1 s, 99 %% of refusals within %.0f ms%n",
        inTime / (double) seconds, counts, late, refusalMillis(results));
  }

  private static double refusalMillis(Collection<Result> results) {
    long[] refusals =
        results.stream()
            .filter(result ->
                result.outcome() == Outcome.REFUSED_503
                    || result.outcome() == Outcome.REFUSED_CONNECTION)
            .mapToLong(Result::nanos)
            .sorted()
            .toArray();
    return refusals.length == 0 ? 0 : refusals[(int) (0.99 * (refusals.length - 1))] / 1e6;
  }

  /** Sends the next review when one is answered; gives the answers a second. */
  private double closedLoop(int seconds, int connections) throws InterruptedException {
    List<Connection> unused = new ArrayList<>();
    while (idle.size() > connections) {
      unused.add(idle.removeLast());
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    LongAdder answers = new LongAdder();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CLOSED_LOOP_REVIEWS; i++) {
      threads.add(
          Thread.startVirtualThread(() -> {
            while (System.nanoTime() < end) {
              if (review(System.nanoTime(), idle::addLast).outcome() == Outcome.ANSWERED) {
                answers.increment();
              }
            }
          }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    idle.addAll(unused);
    return answers.sum() / (double) seconds;
  }

  /**
   * Opens connections one by one, each with a review, since connections before their first request
   * have a tighter limit. A service that is not loaded refuses none.
   */
  private void connect(int connections) throws IOException {
    List<Connection> opened = new ArrayList<>();
    while (idle.size() + opened.size() < connections) {
      Connection connection = connect();
      connection.socket().getOutputStream().write(request);
      if (!LoadResponse.read(connection.in()).isOk()) {
        throw new IOException("a service without load refused a review");
      }
      opened.add(connection);
    }
    idle.addAll(opened);
  }

  private Connection connect() throws IOException {
    Socket socket = target.connect(TIMEOUT_MILLIS);
    return new Connection(socket, new BufferedInputStream(socket.getInputStream()));
  }

  /** Sends reviews at fixed times, whether or not the ones before were answered. */
  private Collection<Result> openLoop(double perSecond, int seconds) {
    Queue<Result> results = new ConcurrentLinkedQueue<>();
    long start = System.nanoTime();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < perSecond * seconds; i++) {
        long due = start + (long) (i * Nanoseconds.PER_SECOND / perSecond);
        LockSupport.parkNanos(due - System.nanoTime());
        threads.execute(() -> results.add(review(due, idle::addFirst)));
      }
    }
    return results;
  }

  private Result review(long due, Consumer<Connection> rest) {
    Outcome outcome = outcome(rest);
    return new Result(outcome, System.nanoTime() - due);
  }

  private Outcome outcome(Consumer<Connection> rest) {
    try {
      Connection connection = idle.pollFirst();
      if (connection != null) {
        return send(connection, rest);
      }
      return dials.tryAcquire() ? send(dialled(), rest) : Outcome.NOT_SENT;
    } catch (SocketTimeoutException e) {
      return Outcome.TIMED_OUT;
    } catch (IOException e) {
      return Outcome.REFUSED_CONNECTION;
    }
  }

  private Connection dialled() throws IOException {
    try {
      return connect();
    } finally {
      dials.release();
    }
  }

  private Outcome send(Connection connection, Consumer<Connection> rest) throws IOException {
    try {
      connection.socket().getOutputStream().write(request);
      boolean answered = LoadResponse.read(connection.in()).isOk();
      rest.accept(connection);
      return answered ? Outcome.ANSWERED : Outcome.REFUSED_503;
    } catch (IOException e) {
      connection.socket().close();
      throw e;
    }
  }
}
