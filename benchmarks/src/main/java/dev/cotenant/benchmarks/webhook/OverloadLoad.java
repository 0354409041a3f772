package dev.cotenant.benchmarks.webhook;

import dev.cotenant.benchmarks.load.HttpAnswer;
import dev.cotenant.benchmarks.load.PacedLoad;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
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
import java.util.stream.Collectors;

/**
 * Offers a service on this machine three times the reviews that it can answer, and counts what
 * becomes of them.
 *
 * <p>A closed loop over a few connections finds the capacity. The open loop then sends reviews at
 * fixed times over standing connections, as API servers keep them: over an idle connection if there
 * is one, else over a new one, of which few are dialled at a time.
 */
public final class OverloadLoad {
  private static final int CLOSED_LOOP_CONNECTIONS = 32;
  private static final int WARM_UP_SECONDS = 30;
  private static final int RECOVERY_SECONDS = 5;
  private static final int STANDING_CONNECTIONS = 400;
  private static final int DIALS = 16;
  private static final int TIMEOUT_MILLIS = 10_000;
  private static final double NANOS = 1e9;

  private final LocalTls target;
  private final byte[] request;
  private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
  private final Semaphore dials = new Semaphore(DIALS);

  /** What became of a review. */
  private enum Outcome {
    ANSWERED_WITHIN_1_S,
    ANSWERED_LATER,
    REFUSED_503,
    REFUSED_CONNECTION,
    /** Of those, in more than a second. */
    REFUSED_LATER,
    TIMED_OUT,
    /** All connections had a review in progress, and all dials too. */
    WITHOUT_CONNECTION
  }

  private record Connection(Socket socket, InputStream in) {}

  private OverloadLoad(LocalTls target, byte[] request) {
    this.target = target;
    this.request = request;
  }

  /**
   * Arguments: {@code warm-up} or {@code measure}, port, seconds of each part, file of a review.
   */
  public static void main(String[] arguments)
      throws IOException, InterruptedException, GeneralSecurityException {
    int seconds = Integer.parseInt(arguments[2]);
    String review = Files.readString(Path.of(arguments[3]));
    OverloadLoad load =
        new OverloadLoad(
            new LocalTls(Integer.parseInt(arguments[1])),
            PacedLoad.Target.post("/webhooks/mutate", review).getBytes(StandardCharsets.UTF_8));
    if (arguments[0].equals("measure")) {
      load.connectAll();
      load.measure(seconds);
    } else {
      load.openLoop(3 * load.closedLoop(seconds), seconds);
    }
    System.exit(0);
  }

  private void measure(int seconds) throws IOException, InterruptedException {
    closedLoop(WARM_UP_SECONDS);
    double capacity = closedLoop(seconds);
    System.out.printf("closed loop: %.0f answered a second%n", capacity);
    report("3 times that", openLoop(3 * capacity, seconds), capacity, seconds);
    Thread.sleep(TimeUnit.SECONDS.toMillis(RECOVERY_SECONDS));
    double usual = 0.3 * capacity;
    report("0.3 times, 5 s later", openLoop(usual, seconds), usual, seconds);
    System.out.printf("closed loop again: %.0f answered a second%n", closedLoop(seconds));
  }

  private static void report(String name, Map<Outcome, Long> outcomes, double of, int seconds) {
    double answered = outcomes.getOrDefault(Outcome.ANSWERED_WITHIN_1_S, 0L) / (double) seconds;
    System.out.printf(
        "%s: answered within 1 s %.0f a second, %.0f %% of %.0f; %s%n",
        name, answered, 100 * answered / of, of, outcomes);
  }

  /** Each connection sends its next review when it has its answer; gives the answers a second. */
  private double closedLoop(int seconds) throws InterruptedException, IOException {
    while (idle.size() < CLOSED_LOOP_CONNECTIONS) {
      idle.addLast(connect());
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    LongAdder answers = new LongAdder();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CLOSED_LOOP_CONNECTIONS; i++) {
      threads.add(
          Thread.startVirtualThread(() -> {
            while (System.nanoTime() < end) {
              if (review(System.nanoTime()) == Outcome.ANSWERED_WITHIN_1_S) {
                answers.increment();
              }
            }
          }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return answers.sum() / (double) seconds;
  }

  /**
   * Opens connections one by one, each with a review: connections before their first request are
   * bounded more tightly. A service that is not loaded refuses none.
   */
  private void connectAll() throws IOException {
    List<Connection> opened = new ArrayList<>();
    while (idle.size() + opened.size() < STANDING_CONNECTIONS) {
      Connection connection = connect();
      connection.socket().getOutputStream().write(request);
      if (!HttpAnswer.read(connection.in()).isOk()) {
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
  private Map<Outcome, Long> openLoop(double perSecond, int seconds) {
    Queue<Outcome> outcomes = new ConcurrentLinkedQueue<>();
    long start = System.nanoTime();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < perSecond * seconds; i++) {
        long due = start + (long) (i * NANOS / perSecond);
        LockSupport.parkNanos(due - System.nanoTime());
        threads.execute(() -> outcomes.add(review(due)));
      }
    }
    return outcomes.stream()
        .collect(Collectors.groupingBy(o -> o, TreeMap::new, Collectors.counting()));
  }

  private Outcome review(long due) {
    try {
      Connection connection = idle.pollFirst();
      if (connection != null) {
        return send(connection, due);
      }
      return dials.tryAcquire() ? send(dialled(), due) : Outcome.WITHOUT_CONNECTION;
    } catch (SocketTimeoutException e) {
      return Outcome.TIMED_OUT;
    } catch (IOException e) {
      return isLate(due) ? Outcome.REFUSED_LATER : Outcome.REFUSED_CONNECTION;
    }
  }

  private Connection dialled() throws IOException {
    try {
      return connect();
    } finally {
      dials.release();
    }
  }

  private Outcome send(Connection connection, long due) throws IOException {
    try {
      connection.socket().getOutputStream().write(request);
      boolean answered = HttpAnswer.read(connection.in()).isOk();
      idle.addFirst(connection);
      if (answered) {
        return isLate(due) ? Outcome.ANSWERED_LATER : Outcome.ANSWERED_WITHIN_1_S;
      }
      return isLate(due) ? Outcome.REFUSED_LATER : Outcome.REFUSED_503;
    } catch (IOException e) {
      connection.socket().close();
      throw e;
    }
  }

  private static boolean isLate(long due) {
    return System.nanoTime() - due > NANOS;
  }
}
