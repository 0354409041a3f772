package dev.cotenant.forecast.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Keys and certificates made by the JDK's keytool in a folder of the test, gone with it. */
final class TestCertificates {
  private static final String PASSWORD = "changeit";
  private final Path folder;
  private final Path store;

  TestCertificates(Path folder) {
    this.folder = folder;
    store = folder.resolve("keys.p12");
  }

  /** An authority of this name, signed by itself. */
  TestCertificates authority(String name) throws IOException, InterruptedException {
    return make(name, "EC", "-ext", "bc=ca:true");
  }

  /** A key and a certificate that an authority signed. */
  TestCertificates signed(String name, String algorithm, String authority, String subject)
      throws IOException, InterruptedException {
    return make(name, algorithm, "-signer", authority, "-ext", "san=" + subject);
  }

  private TestCertificates make(String name, String algorithm, String... more)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.add("-J-XX:TieredStopAtLevel=1");
    command.addAll(List.of("-genkeypair", "-alias", name, "-dname", "CN=" + name));
    command.addAll(List.of("-keyalg", algorithm, "-keystore", store.toString()));
    command.addAll(List.of("-storepass", PASSWORD, "-validity", "2"));
    command.addAll(List.of(more));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return this;
  }

  /** Its certificate and those that signed it, as PEM. */
  Path certificate(String name) throws IOException, GeneralSecurityException {
    StringBuilder pem = new StringBuilder();
    for (var certificate : keys().getCertificateChain(name)) {
      pem.append(pem("CERTIFICATE", certificate.getEncoded()));
    }
    return Files.writeString(folder.resolve(name + ".crt"), pem);
  }

  /** Its private key, as PEM of PKCS #8. */
  Path key(String name) throws IOException, GeneralSecurityException {
    byte[] key = keys().getKey(name, PASSWORD.toCharArray()).getEncoded();
    return Files.writeString(folder.resolve(name + ".key"), pem("PRIVATE KEY", key));
  }

  /** The private key of RSA as OpenSSL wrote it before version 3, as PEM of PKCS #1. */
  Path oldKey(String name) throws IOException, GeneralSecurityException {
    byte[] key = keys().getKey(name, PASSWORD.toCharArray()).getEncoded();
    byte[] inside = Arrays.copyOfRange(key, 26, key.length); // after version, algorithm and length
    return Files.writeString(folder.resolve(name + ".old"), pem("RSA PRIVATE KEY", inside));
  }

  private static String pem(String what, byte[] bytes) {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n";
  }

  /** What a server needs to be {@code name} and to trust clients of {@code authority}. */
  SSLContext server(String name, String authority) throws IOException, GeneralSecurityException {
    KeyStore own = empty();
    char[] password = PASSWORD.toCharArray();
    own.setKeyEntry(
        name, keys().getKey(name, password), password, keys().getCertificateChain(name));
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, password);
    KeyStore trusted = empty();
    trusted.setCertificateEntry(authority, keys().getCertificate(authority));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore empty = KeyStore.getInstance("PKCS12");
    empty.load(null, null);
    return empty;
  }

  private KeyStore keys() throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      return keys;
    }
  }
}
