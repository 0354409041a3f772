package dev.cotenant.llm.source;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A host of model files on loopback, over HTTPS, that answers ranges, or as a script says. */
final class FakeModelHost implements AutoCloseable {
  private static final char[] PASSWORD = "test-only".toCharArray();

  private final HttpsServer server;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final SSLContext trusting;
  private final Map<String, byte[]> files = new HashMap<>();
  private final Map<String, Script> scripts = new HashMap<>();
  private final ConcurrentLinkedQueue<String> asked = new ConcurrentLinkedQueue<>();

  /** An answer that is not a file's. */
  interface Script {
    void answer(HttpExchange exchange) throws IOException, InterruptedException;
  }

  FakeModelHost(Path folder) throws IOException, GeneralSecurityException, InterruptedException {
    KeyStore keys = keys(folder.resolve("keys.p12"));
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD);
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("host", keys.getCertificate("host"));
    trust.init(trusted);
    trusting = SSLContext.getInstance("TLS");
    trusting.init(own.getKeyManagers(), trust.getTrustManagers(), null);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(trusting));
    server.setExecutor(executor);
    server.createContext("/", this::answer);
    server.start();
  }

  private static KeyStore keys(Path store)
      throws IOException, GeneralSecurityException, InterruptedException {
    String arguments =
        "-genkeypair -alias host -keyalg EC -validity 2 -dname CN=host"
            + " -ext san=dns:localhost -storetype PKCS12 -storepass test-only -keystore";
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.add("-J-XX:TieredStopAtLevel=1");
    command.addAll(List.of(arguments.split(" ", -1)));
    command.add(store.toString());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException(said);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    return keys;
  }

  /** Whom a reader must trust. */
  SSLContext tls() {
    return trusting;
  }

  /** An address on this host. */
  String url(String path) {
    return "https://localhost:" + server.getAddress().getPort() + path;
  }

  FakeModelHost file(String path, byte[] content) {
    files.put(path, content);
    return this;
  }

  FakeModelHost script(String path, Script script) {
    scripts.put(path, script);
    return this;
  }

  /** Path and range of every request. */
  List<String> asked() {
    return List.copyOf(asked);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String range = exchange.getRequestHeaders().getFirst("Range");
    asked.add(path + (range == null ? "" : " " + range));
    try (exchange) {
      Script script = scripts.get(path);
      byte[] content = files.get(path);
      if (script != null) {
        script.answer(exchange);
      } else if (content == null) {
        exchange.sendResponseHeaders(404, -1);
      } else if (range == null) {
        send(exchange, 200, content);
      } else {
        part(exchange, content, range);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void part(HttpExchange exchange, byte[] content, String range) throws IOException {
    String[] ends = range.substring("bytes=".length()).split("-", 2);
    int from = Integer.parseInt(ends[0]);
    int to = Math.min(Integer.parseInt(ends[1]), content.length - 1);
    exchange
        .getResponseHeaders()
        .set("Content-Range", "bytes " + from + "-" + to + "/" + content.length);
    send(exchange, 206, Arrays.copyOfRange(content, from, to + 1));
  }

  static void send(HttpExchange exchange, int status, byte[] content) throws IOException {
    exchange.sendResponseHeaders(status, content.length == 0 ? -1 : content.length);
    exchange.getResponseBody().write(content);
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
