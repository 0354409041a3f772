package dev.cotenant.service.webhook;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;

/** A certificate and its key as PEM, made by the JDK's keytool, and the files they are put into. */
public final class PemFiles {
  private static final String PASSWORD = "password";

  private final Path directory;

  public PemFiles(Path directory) {
    this.directory = directory;
  }

  /** A certificate and its key as PEM. */
  public record Pair(String certificate, String key) {}

  public Path certificate() {
    return directory.resolve("tls.crt");
  }

  public Path key() {
    return directory.resolve("tls.key");
  }

  /** Makes a pair for this name; {@code validity} is keytool's, in days. */
  public Pair make(String name, String algorithm, String... validity) {
    try {
      Files.createDirectories(directory);
      Path store = directory.resolve(name + ".p12");
      keytool(store, name, algorithm, List.of(validity));
      KeyStore keys = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(store)) {
        keys.load(in, PASSWORD.toCharArray());
      }
      Files.delete(store);
      Key key = keys.getKey("pair", PASSWORD.toCharArray());
      Certificate certificate = keys.getCertificate("pair");
      return new Pair(
          pem("CERTIFICATE", certificate.getEncoded()), pem("PRIVATE KEY", key.getEncoded()));
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Puts texts in place of the files. */
  public void write(String certificate, String key) {
    replace(key(), key);
    replace(certificate(), certificate);
  }

  private static void replace(Path file, String text) {
    try {
      Path part = file.resolveSibling(file.getFileName() + ".part");
      Files.writeString(part, text);
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void keytool(Path store, String name, String algorithm, List<String> validity)
      throws IOException {
    List<String> command =
        new java.util.ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                "pair",
                "-keyalg",
                algorithm,
                "-dname",
                "CN=" + name,
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD));
    command.addAll(validity);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.onExit().join().exitValue() != 0) {
      throw new IllegalStateException(said);
    }
  }

  static String pem(String type, byte[] encoded) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
    return "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n";
  }
}
