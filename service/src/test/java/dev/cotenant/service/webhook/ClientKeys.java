package dev.cotenant.service.webhook;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** Authorities and the client certificates that they sign, made by the JDK's keytool. */
final class ClientKeys {
  private static final String PASSWORD = "password";
  private static final AtomicInteger NUMBER = new AtomicInteger();

  /** Every one made so far: a keytool is a process of its own. */
  private static final Map<List<Object>, Client> CLIENTS = new ConcurrentHashMap<>();

  private final Path directory;

  ClientKeys(Path directory) {
    this.directory = directory;
  }

  /** A client with a certificate, or without one. */
  record Client(List<KeyManager> keys) {
    static final Client NONE = new Client(List.of());

    Client {
      keys = List.copyOf(keys);
    }

    WebhookClient at(int port) {
      return new WebhookClient(port, context());
    }

    /** Sends the head of a POST and half a body, and waits for what is answered meanwhile. */
    String headOfEndlessPost(int port, String path) throws IOException {
      try (SSLSocket socket =
          (SSLSocket) context().getSocketFactory().createSocket("127.0.0.1", port)) {
        socket.setSoTimeout(60_000);
        String head =
            "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        byte[] start = socket.getInputStream().readNBytes(64);
        return new String(start, StandardCharsets.US_ASCII);
      }
    }

    private SSLContext context() {
      return WebhookClient.trustingAll(keys.toArray(KeyManager[]::new));
    }
  }

  /** Makes an authority and puts its certificate into a PEM file. */
  void authority(String name, Path pem) {
    try {
      Files.createDirectories(directory);
      Path store = store(name);
      if (!Files.exists(store)) {
        keytool(store, "-genkeypair", "-keyalg", "EC", "-dname", "CN=" + name, "-ext", "bc:c");
      }
      Path part = Files.createTempFile(directory, "ca", ".part");
      byte[] certificate = keys(store).getCertificate("key").getEncoded();
      Files.writeString(part, PemFiles.pem("CERTIFICATE", certificate));
      Files.move(part, pem, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A client whose certificate an authority signed; {@code options} are keytool's. */
  Client client(String authority, String name, String... options) {
    return CLIENTS.computeIfAbsent(
        List.of(store(authority), name, List.of(options)), _ -> signed(authority, name, options));
  }

  private Client signed(String authority, String name, String... options) {
    List<String> command = new ArrayList<>(List.of("-genkeypair", "-keyalg", "EC"));
    command.addAll(List.of("-dname", "CN=" + name, "-signer", "key"));
    command.addAll(List.of("-alias", "client-" + NUMBER.incrementAndGet()));
    command.addAll(List.of(options));
    return made(store(authority), command);
  }

  Client selfSigned(String name) {
    return made(
        store("self-" + NUMBER.incrementAndGet()),
        List.of("-genkeypair", "-keyalg", "EC", "-dname", "CN=" + name));
  }

  private Client made(Path store, List<String> command) {
    try {
      Path own = Files.createTempFile(directory, "client", ".p12");
      Files.delete(own);
      if (Files.exists(store)) {
        Files.copy(store, own);
      }
      keytool(own, command.toArray(String[]::new));
      KeyStore keys = keys(own);
      if (Files.exists(store)) {
        keys.deleteEntry("key"); // the authority's own
      }
      KeyManagerFactory factory = KeyManagerFactory.getInstance("SunX509");
      factory.init(keys, PASSWORD.toCharArray());
      return new Client(List.of(factory.getKeyManagers()));
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static KeyStore keys(Path store) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }

  private Path store(String name) {
    return directory.resolve(name + ".p12");
  }

  private static void keytool(Path store, String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.add("-J-XX:TieredStopAtLevel=1");
    command.addAll(List.of(options));
    command.addAll(List.of("-storetype", "PKCS12", "-keystore", store.toString()));
    command.addAll(List.of("-storepass", PASSWORD));
    if (!command.contains("-alias")) {
      command.addAll(List.of("-alias", "key"));
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.onExit().join().exitValue() != 0) {
      throw new IllegalStateException(said);
    }
  }
}
