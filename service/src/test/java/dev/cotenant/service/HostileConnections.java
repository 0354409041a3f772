package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.service.webhook.WebhookClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/** Connections from this machine's own addresses, and requests on them that never end. */
final class HostileConnections {
  private static final int PATIENCE_SECONDS = 60;
  private static final int BODY_BYTES = 7_800_000;
  private static final InetAddress SERVICE = address(1);

  private HostileConnections() {}

  /** The address 127.0.0.{@code last}. */
  static InetAddress address(int last) {
    return InetAddress.ofLiteral("127.0.0." + last);
  }

  static Socket open(int port, InetAddress from) throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(from, 0));
    socket.connect(new InetSocketAddress(SERVICE, port), PATIENCE_SECONDS * 1000);
    return socket;
  }

  static Socket openTls(int port, InetAddress from) throws IOException {
    return WebhookClient.trustingAll()
        .getSocketFactory()
        .createSocket(open(port, from), "localhost", port, true);
  }

  /**
   * Empty where the service resets it before the handshake of TCP ends. An overloaded service
   * closes its port for a moment.
   */
  static Optional<Socket> openUnlessShed(int port, InetAddress from)
      throws IOException, InterruptedException {
    Instant until = Instant.now().plusSeconds(PATIENCE_SECONDS);
    while (true) {
      try {
        return Optional.of(open(port, from));
      } catch (SocketException shed) {
        boolean isClosed = String.valueOf(shed.getMessage()).contains("refused");
        if (!isClosed || Instant.now().isAfter(until)) {
          assertThat(shed).hasMessageContaining("reset");
          return Optional.empty();
        }
        Thread.sleep(50);
      }
    }
  }

  static void sendUnfinishedBody(Socket socket, String path) throws IOException {
    var out = socket.getOutputStream();
    out.write(head(path).getBytes(StandardCharsets.US_ASCII));
    byte[] chunk = new byte[1 << 16];
    Arrays.fill(chunk, (byte) '[');
    byte[] length =
        (Integer.toHexString(chunk.length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    for (int written = 0; written < BODY_BYTES; written += chunk.length) {
      out.write(length);
      out.write(chunk);
      out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
    }
    out.flush();
  }

  /** Head of a request whose body has no stated length. */
  static String head(String path) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n";
  }

  /** Sends a byte now and then after a beginning, until the service ends the connection. */
  static boolean isCutWhileItTrickles(Socket socket, String begin) throws IOException {
    Instant end = Instant.now().plusSeconds(PATIENCE_SECONDS);
    boolean body = begin.endsWith("\r\n\r\n");
    try {
      socket.setSoTimeout(100);
      socket.getOutputStream().write(begin.getBytes(StandardCharsets.US_ASCII));
      while (Instant.now().isBefore(end)) {
        socket
            .getOutputStream()
            .write((body ? "1\r\n[\r\n" : "X").getBytes(StandardCharsets.US_ASCII));
        if (isAtEnd(socket.getInputStream())) {
          return true;
        }
      }
      return false;
    } catch (IOException cut) {
      return true;
    }
  }

  private static boolean isAtEnd(InputStream in) throws IOException {
    try {
      return in.read() < 0;
    } catch (SocketTimeoutException _) {
      return false;
    }
  }
}
