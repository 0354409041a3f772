package dev.cotenant.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Collection;
import java.util.function.Supplier;

/**
 * What a Service is in a cluster: one address, behind which any replica that listens answers. A
 * connection is passed on as it is; where nobody listens it is closed.
 */
final class Balancer implements AutoCloseable {
  private final Supplier<? extends Collection<Integer>> ports;
  private final ServerSocket server;

  /** Listens at any free port of an address, for what listens at these ports of loopback. */
  Balancer(String host, Supplier<? extends Collection<Integer>> ports) {
    this.ports = ports;
    try {
      server = new ServerSocket();
      server.bind(new InetSocketAddress(host, 0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread.ofPlatform().daemon().name("balancer").start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket caller = server.accept();
        Thread.ofVirtual().start(() -> passOn(caller));
      } catch (IOException _) {
        // Closed, or this one has hung up already.
      }
    }
  }

  private void passOn(Socket caller) {
    try (caller) {
      for (int port : ports.get()) {
        if (passOn(caller, port)) {
          return;
        }
      }
    } catch (IOException _) {
      // The caller sees its connection end.
    }
  }

  /** Whether there was somebody at the port. */
  private static boolean passOn(Socket caller, int port) throws IOException {
    try (Socket replica = new Socket()) {
      try {
        replica.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      } catch (IOException _) {
        return false; // the next, perhaps
      }
      Thread back = Thread.ofVirtual().start(() -> copy(replica, caller));
      copy(caller, replica);
      back.join();
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Until one side ends; then both do. */
  private static void copy(Socket from, Socket to) {
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      in.transferTo(out);
    } catch (IOException _) {
      // As good as an end.
    }
    end(from);
    end(to);
  }

  private static void end(Socket socket) {
    try {
      socket.close();
    } catch (IOException _) {
      // It has ended.
    }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
