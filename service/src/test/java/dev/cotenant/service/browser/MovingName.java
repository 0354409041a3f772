package dev.cotenant.service.browser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a name leads to whose address changes (DNS rebinding): a port that passes connections on to
 * one port of this machine, and later to another. Bytes are passed on as they are.
 */
final class MovingName implements AutoCloseable {
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger target = new AtomicInteger();
  private final ServerSocket listening;

  MovingName() throws IOException {
    listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  /** Leads there from the next connection on. */
  void pointTo(int port) {
    target.set(port);
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target.get());
        threads.execute(() -> copy(client, server));
        threads.execute(() -> copy(server, client));
      } catch (IOException e) {
        if (!listening.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private static void copy(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      return; // the other direction has ended
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    threads.shutdownNow();
  }
}
