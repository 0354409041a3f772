package dev.cotenant.service.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ListenersTest {
  private final Vertx vertx = Vertx.vertx();
  private final Set<String> threads = ConcurrentHashMap.newKeySet();

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private Listeners open(int port) {
    HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setPort(port);
    return Listeners.open(vertx, options, this::answer);
  }

  private void answer(HttpServerRequest request) {
    threads.add(Thread.currentThread().getName());
    request.response().end("ok");
  }

  private static void ask(Socket socket) throws IOException {
    socket
        .getOutputStream()
        .write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    byte[] status = socket.getInputStream().readNBytes(15);
    assertThat(new String(status, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200 OK");
  }

  @Test
  void givesConnectionsToAllEventLoopsInTurn() throws IOException {
    Listeners listeners = open(0);
    List<Socket> connections = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), listeners.port());
      connections.add(socket);
      ask(socket);
    }
    for (Socket socket : connections) {
      socket.close();
    }
    assertThat(threads).hasSize(Math.clamp(Runtime.getRuntime().availableProcessors(), 1, 8));
  }

  @Test
  void closesThePortForAllOfThem() throws IOException {
    Listeners listeners = open(0);
    listeners.close(Duration.ofSeconds(5));
    Instant patience = Instant.now().plusSeconds(10);
    while (isOpen(listeners.port()) && Instant.now().isBefore(patience)) {
      Thread.onSpinWait(); // the selector releases it in its next round
    }
    assertThat(isOpen(listeners.port())).isFalse();
    assertThat(open(listeners.port()).port()).isEqualTo(listeners.port());
  }

  private static boolean isOpen(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (SocketException _) {
      return false; // refused, or reset while it closes
    }
  }

  @Test
  void saysThatAPortIsTaken() {
    int taken = open(0).port();
    Vertx other = Vertx.vertx();
    assertThatThrownBy(() ->
            Listeners.open(
                other, new HttpServerOptions().setHost("127.0.0.1").setPort(taken), this::answer))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(BindException.class);
    other.close().toCompletionStage().toCompletableFuture().join();
  }
}
