package dev.cotenant.service;

import dev.cotenant.service.webhook.WebhookClient;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLSocketFactory;

/** Reviews from another process than the service's, over connections that stand. */
final class ReviewLoad {
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();
  private static final SSLSocketFactory SOCKETS = WebhookClient.trustingAll().getSocketFactory();
  private static final int PATIENCE_MILLIS = 30_000;
  private static final double NANOS = 1e9;

  /** More new connections at a time would be the load's own bound, and not the service's. */
  private static final int DIALS = 128;

  private final int port;
  private final byte[] request = request();
  private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
  private final Semaphore dials = new Semaphore(DIALS);

  private record Connection(Socket socket, InputStream in) {}

  /** What became of a review. */
  enum Outcome {
    ANSWERED,
    /** By status 503, a cut connection or a port that nobody listens at. */
    REFUSED,
    /** The load itself had no connection left. */
    NOT_SENT
  }

  /**
   * A review.
   *
   * @param time from when it was due
   */
  record Result(Outcome outcome, Duration time) {
    boolean is(Outcome wanted) {
      return outcome == wanted && time.compareTo(Duration.ofSeconds(1)) <= 0;
    }
  }

  ReviewLoad(int port) {
    this.port = port;
  }

  private static byte[] request() {
    byte[] body = WebhookClient.review("resnet50", 1);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(
        ("POST /webhooks/mutate HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                + body.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    bytes.writeBytes(body);
    return bytes.toByteArray();
  }

  /** Opens connections one by one, each with a review, as a service without load answers it. */
  void connect(int connections) throws IOException {
    List<Connection> opened = new ArrayList<>();
    while (idle.size() + opened.size() < connections) {
      Connection connection = connect();
      if (!isAnswered(connection)) {
        throw new IOException("a service without load refused a review");
      }
      opened.add(connection);
    }
    idle.addAll(opened);
  }

  private Connection connect() throws IOException {
    Socket socket = SOCKETS.createSocket(new Socket(HOST, port), "localhost", port, true);
    socket.setSoTimeout(PATIENCE_MILLIS);
    return new Connection(socket, new BufferedInputStream(socket.getInputStream()));
  }

  /** Sends the next review when one is answered; gives the answers a second. */
  double closedLoop(int reviews, Duration time) {
    long end = System.nanoTime() + time.toNanos();
    LongAdder answers = new LongAdder();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < reviews; i++) {
        threads.execute(() -> {
          while (System.nanoTime() < end) {
            if (review(System.nanoTime()).outcome() == Outcome.ANSWERED) {
              answers.increment();
            }
          }
        });
      }
    }
    return answers.sum() / (double) time.toSeconds();
  }

  /** Sends reviews at fixed times, whether or not those before were answered. */
  Collection<Result> openLoop(double perSecond, Duration time) {
    Queue<Result> results = new ConcurrentLinkedQueue<>();
    long start = System.nanoTime();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < perSecond * time.toSeconds(); i++) {
        long due = start + (long) (i * NANOS / perSecond);
        LockSupport.parkNanos(due - System.nanoTime());
        threads.execute(() -> results.add(review(due)));
      }
    }
    return results;
  }

  private Result review(long due) {
    Outcome outcome = outcome();
    return new Result(outcome, Duration.ofNanos(System.nanoTime() - due));
  }

  private Outcome outcome() {
    Connection connection = idle.pollFirst();
    try {
      if (connection == null) {
        if (!dials.tryAcquire()) {
          return Outcome.NOT_SENT;
        }
        connection = dialled();
      }
      boolean answered = isAnswered(connection);
      idle.addLast(connection);
      return answered ? Outcome.ANSWERED : Outcome.REFUSED;
    } catch (IOException refused) {
      return Outcome.REFUSED;
    }
  }

  private Connection dialled() throws IOException {
    try {
      return connect();
    } finally {
      dials.release();
    }
  }

  /** Sends a review, reads the answer, and says whether its status is 200. */
  private boolean isAnswered(Connection connection) throws IOException {
    connection.socket().getOutputStream().write(request);
    String status = line(connection.in());
    int length = 0;
    for (String line = line(connection.in()); !line.isEmpty(); line = line(connection.in())) {
      if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
        length = Integer.parseInt(line.substring(15).strip());
      }
    }
    connection.in().skipNBytes(length);
    return status.startsWith("HTTP/1.1 200");
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the connection was cut");
      }
      line.append((char) next);
    }
    return line.toString().strip();
  }
}
