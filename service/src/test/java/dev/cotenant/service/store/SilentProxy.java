package dev.cotenant.service.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;

/** Passes on what a server and its clients say until it falls silent; it accepts all the while. */
final class SilentProxy implements AutoCloseable {
  private final URI server;
  private final ServerSocket socket;
  private volatile boolean silent;

  /**
   * @param url {@code jdbc:postgresql://host:port/name}
   */
  SilentProxy(String url) throws IOException {
    server = URI.create(url.substring("jdbc:".length()));
    socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    Thread.startVirtualThread(this::accept);
  }

  String url() {
    return "jdbc:postgresql://127.0.0.1:" + socket.getLocalPort() + server.getPath();
  }

  /** From now on nothing is passed on, and no connection ends. */
  void fallSilent() {
    silent = true;
  }

  /** New connections are passed on again; those that fell silent stay so. */
  void speak() {
    silent = false;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = socket.accept();
        if (!silent) {
          Socket toServer = new Socket(server.getHost(), server.getPort());
          Thread.startVirtualThread(() -> pass(client, toServer));
          Thread.startVirtualThread(() -> pass(toServer, client));
        }
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void pass(Socket from, Socket to) {
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[1 << 13];
      int read = in.read(buffer);
      while (read >= 0 && !silent) {
        out.write(buffer, 0, read);
        read = in.read(buffer);
      }
      if (read < 0) {
        to.close();
      }
    } catch (IOException e) {
      // one side has gone
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
