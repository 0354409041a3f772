package dev.cotenant.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * What the chart calls {@code certs.existingSecret}: tls.crt and tls.key in a folder, signed by
 * itself, for one address.
 */
final class WebhookCertificate {
  private static final String PASSWORD = "test-only";

  private final Path folder;

  /** Makes it by the JDK's keytool. */
  WebhookCertificate(Path folder, String address) {
    this.folder = folder;
    Path store = folder.resolve("tls.p12");
    keytool(store, address);
    try (InputStream in = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      Pem.write(
          folder.resolve("tls.key"), Pem.PRIVATE_KEY, keys.getKey("tls", PASSWORD.toCharArray()));
      Pem.write(
          folder.resolve("tls.crt"), Pem.CERTIFICATE, keys.getCertificate("tls").getEncoded());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Where its files are. */
  Path folder() {
    return folder;
  }

  /** Who signed it, as {@code certs.caBundle} wants it. */
  String authority() {
    try {
      return Base64.getEncoder().encodeToString(Files.readAllBytes(folder.resolve("tls.crt")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** For a server with this certificate. */
  SSLContext context() {
    try (InputStream in = Files.newInputStream(folder.resolve("tls.p12"))) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(keys, PASSWORD.toCharArray());
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(managers.getKeyManagers(), null, null);
      return context;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void keytool(Path store, String address) {
    boolean number = address.matches("[0-9.]+|.*:.*");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin/keytool").toString(),
                "-J-XX:TieredStopAtLevel=1"));
    command.addAll(
        List.of(
            "-genkeypair -alias tls -keyalg EC -groupname secp256r1 -validity 30 -storetype PKCS12"
                .split(" ")));
    command.addAll(List.of("-dname", "CN=cotenant-e2e", "-storepass", PASSWORD));
    command.addAll(List.of("-ext", "san=" + (number ? "ip:" : "dns:") + address));
    command.addAll(List.of("-keystore", store.toString()));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said =
          new String(
              process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException("keytool: " + said);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
