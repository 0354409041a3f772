package dev.cotenant.admission.kubernetes.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A self-signed certificate for loopback, made by the JDK's keytool once a process. */
final class TestCertificate {
  private static final String PASSWORD = "test-only";

  private static byte[] madeStore = {};
  private static byte[] madePem = {};

  private final Path store;
  private final Path pem;

  private TestCertificate(Path store, Path pem) {
    this.store = store;
    this.pem = pem;
  }

  /** The one that is kept in this folder, put there where there is none. */
  static synchronized TestCertificate in(Path folder) {
    Path store = folder.resolve("api-server.p12");
    Path pem = folder.resolve("api-server.pem");
    try {
      if (!Files.exists(pem) && madePem.length == 0) {
        make(store, pem);
        madeStore = Files.readAllBytes(store);
        madePem = Files.readAllBytes(pem);
      } else if (!Files.exists(pem)) {
        Files.write(store, madeStore);
        Files.write(pem, madePem);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new TestCertificate(store, pem);
  }

  private static void make(Path store, Path pem) {
    keytool(
        "-genkeypair -alias api -keyalg EC -groupname secp256r1 -validity 30 -dname CN=api"
            + " -ext san=dns:localhost,ip:127.0.0.1 -storetype PKCS12 -storepass "
            + PASSWORD,
        store);
    keytool("-exportcert -rfc -alias api -storepass " + PASSWORD + " -file " + pem, store);
  }

  Path pem() {
    return pem;
  }

  SSLContext context() {
    try (InputStream in = Files.newInputStream(store)) {
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

  private static void keytool(String arguments, Path store) {
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    List<String> command =
        new java.util.ArrayList<>(List.of(keytool.toString(), "-J-XX:TieredStopAtLevel=1"));
    command.addAll(List.of(arguments.split(" ")));
    command.addAll(List.of("-keystore", store.toString()));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
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
