package dev.cotenant.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The network between a process and a server on this machine. It knows nothing of what it carries:
 * bytes that come twice or in another order end a connection of TLS.
 */
public final class FaultyProxy implements AutoCloseable {
  private static final int CHUNK = 1 << 13;

  private final URI server;
  private final ServerSocket socket;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile State state = State.WHOLE;

  /** What becomes of bytes. */
  public enum State {
    /** They arrive. */
    WHOLE,
    /** They are lost, and nobody is told. */
    DROPPED,
    /** Connections are refused and reset. */
    CUT,
    /** They arrive late, by up to half a second. */
    DELAYED,
    /** Some arrive twice. */
    DUPLICATED,
    /** Some arrive after later ones. */
    REORDERED
  }

  /**
   * @param server its host and port
   */
  public FaultyProxy(URI server) throws IOException {
    this.server = server;
    socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    Thread.startVirtualThread(this::accept);
  }

  public int port() {
    return socket.getLocalPort();
  }

  public void set(State next) {
    state = next;
    if (next == State.CUT) {
      open.forEach(this::end);
    }
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        connect(socket.accept());
      } catch (IOException e) {
        // closed, or the server takes no connection now
      }
    }
  }

  private void connect(Socket client) throws IOException {
    open.add(client);
    if (state == State.CUT) {
      end(client);
      return;
    }
    try {
      Socket toServer = new Socket(server.getHost(), server.getPort());
      open.add(toServer);
      Thread.startVirtualThread(() -> pass(client, toServer));
      Thread.startVirtualThread(() -> pass(toServer, client));
    } catch (IOException e) {
      end(client);
    }
  }

  private void pass(Socket from, Socket to) {
    Random random = ThreadLocalRandom.current();
    byte[] held = new byte[0];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[CHUNK];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        byte[] chunk = Arrays.copyOf(buffer, read);
        switch (state) {
          case WHOLE -> out.write(chunk);
          case DROPPED, CUT -> {}
          case DELAYED -> {
            Thread.sleep(random.nextInt(500));
            out.write(chunk);
          }
          case DUPLICATED -> {
            out.write(chunk);
            if (random.nextInt(4) == 0) {
              out.write(chunk);
            }
          }
          case REORDERED -> {
            if (held.length == 0 && random.nextInt(4) == 0) {
              held = chunk;
            } else {
              out.write(chunk);
              out.write(held);
              held = new byte[0];
            }
          }
        }
        out.flush();
      }
    } catch (IOException e) {
      // one side has gone
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    end(from);
    end(to);
  }

  private void end(Socket socket) {
    open.remove(socket);
    try {
      socket.close();
    } catch (IOException e) {
      // it is gone
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
    open.forEach(this::end);
  }
}
