package dev.cotenant.e2e;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * etcd and kube-apiserver of a folder, on loopback, as Kubernetes' own envtest starts them: with
 * RBAC, without the ServiceAccount admission plugin (there is no controller-manager that would make
 * service accounts), without scheduler and kubelets.
 */
final class TestControlPlane implements AutoCloseable {
  /** Token of somebody who may do everything. */
  static final String ADMIN = "admin-token-of-the-test";

  /** Token of the user that Cotenant's service account is. */
  static final String COTENANT = "cotenant-token-of-the-test";

  private static final String TOKENS =
      """
      %s,admin,1,"system:masters"
      %s,system:serviceaccount:cotenant-system:cotenant,2,"system:serviceaccounts"
      """
          .formatted(ADMIN, COTENANT);

  private final List<Process> processes = new ArrayList<>();
  private final Path folder;
  private final Kube admin;

  /** Starts both from the programs in {@code assets}, keeping everything in {@code folder}. */
  TestControlPlane(Path assets, Path folder) {
    this.folder = folder;
    try {
      int etcd = freePort();
      String etcdUrl = "http://127.0.0.1:" + etcd;
      String peerUrl = "http://127.0.0.1:" + freePort();
      start(
          "etcd",
          List.of(
              assets.resolve("etcd").toString(),
              "--data-dir=" + folder.resolve("etcd"),
              "--listen-client-urls=" + etcdUrl,
              "--advertise-client-urls=" + etcdUrl,
              "--listen-peer-urls=" + peerUrl,
              "--initial-advertise-peer-urls=" + peerUrl,
              "--initial-cluster=default=" + peerUrl,
              "--unsafe-no-fsync"));
      int port = freePort();
      start("kube-apiserver", apiServer(assets, etcdUrl, port));
      admin = new Kube("https://127.0.0.1:" + port, ADMIN);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Eventually.holds("the API server is ready, see " + folder, this::isReady);
  }

  private List<String> apiServer(Path assets, String etcdUrl, int port) throws IOException {
    writeKeys();
    Path tokens = Files.writeString(folder.resolve("tokens.csv"), TOKENS);
    return List.of(
        assets.resolve("kube-apiserver").toString(),
        "--etcd-servers=" + etcdUrl,
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        "--secure-port=" + port,
        "--cert-dir=" + folder.resolve("certificates"),
        "--service-cluster-ip-range=10.0.0.0/24",
        "--token-auth-file=" + tokens,
        "--authorization-mode=RBAC",
        "--disable-admission-plugins=ServiceAccount",
        "--allow-privileged=true",
        "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
        "--api-audiences=https://kubernetes.default.svc.cluster.local,cotenant",
        "--service-account-key-file=" + folder.resolve("service-account.pub"),
        "--service-account-signing-key-file=" + folder.resolve("service-account.key"));
  }

  private void writeKeys() throws IOException {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      KeyPair pair = generator.generateKeyPair();
      pem("service-account.key", "PRIVATE KEY", pair.getPrivate().getEncoded());
      pem("service-account.pub", "PUBLIC KEY", pair.getPublic().getEncoded());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private void pem(String name, String what, byte[] bytes) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    Files.writeString(
        folder.resolve(name),
        "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n");
  }

  private void start(String name, List<String> command) throws IOException {
    processes.add(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".log").toFile())
            .start());
  }

  private boolean isReady() {
    for (Process process : processes) {
      if (!process.isAlive()) {
        throw new IllegalStateException("a server ended by itself, see the logs in " + folder);
      }
    }
    try {
      return admin.get("/readyz").isSuccessful()
          && admin.get("/api/v1/namespaces/default").isSuccessful();
    } catch (UncheckedIOException e) {
      return false; // not listening yet
    }
  }

  Kube admin() {
    return admin;
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    for (Process process : processes.reversed()) {
      process.destroy();
      try {
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
