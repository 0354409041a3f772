package dev.cotenant.e2e;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.domain.testing.FreePort;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * etcd and kube-apiserver of a folder, on loopback, as Kubernetes' own envtest starts them: with
 * RBAC, without the ServiceAccount admission plugin (no controller creates the namespaces' default
 * accounts), without kubelets. Where the folder has a kube-controller-manager, its controllers of
 * Deployments, Jobs, volumes and garbage run too; where it has a kube-scheduler, that binds the
 * pods.
 */
final class TestControlPlane implements Cluster {
  private static final String ISSUER = "https://kubernetes.default.svc.cluster.local";
  private static final String ADMIN = "admin-token-of-the-test";
  private static final String CONTROLLERS = "kube-controller-manager";

  private static final String EMULATED = "COTENANT_E2E_EMULATED_VERSION";
  private static final String GATES = "COTENANT_E2E_FEATURE_GATES";

  private final List<Process> processes = new ArrayList<>();
  private final Path assets;
  private final Path folder;
  private final Config admin;
  private Optional<Process> scheduler = Optional.empty();

  /** Starts them from the programs in {@code assets}, keeping everything in {@code folder}. */
  TestControlPlane(Path assets, Path folder) {
    this(assets, folder, List.of());
  }

  /**
   * The same with more options.
   *
   * @param more options of kube-apiserver
   */
  TestControlPlane(Path assets, Path folder, List<String> more) {
    this.assets = assets;
    this.folder = folder;
    boolean started = false;
    Runtime.getRuntime().addShutdownHook(new Thread(this::close, "end-servers"));
    try {
      String etcd = startEtcd();
      int port = FreePort.find();
      List<String> options = new ArrayList<>(apiServer(etcd, port));
      options.addAll(emulation());
      options.addAll(more);
      start("kube-apiserver", options);
      admin =
          new ConfigBuilder(Config.empty())
              .withMasterUrl("https://127.0.0.1:" + port)
              .withTrustCerts(true)
              .withOauthToken(ADMIN)
              .build();
      try (Kube kube = new Kube(admin)) {
        Eventually.holds("the API server is ready, see " + folder, () -> isReady(kube));
      }
      if (hasControllers()) {
        List<String> controllers = new ArrayList<>(controllers());
        controllers.addAll(emulation());
        start(CONTROLLERS, controllers);
      }
      startScheduler();
      started = true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      if (!started) {
        close();
      }
    }
  }

  /** Options of every program: the release that it emulates and its feature gates, if stated. */
  static List<String> emulation() {
    List<String> options = new ArrayList<>();
    option("--emulated-version=", EMULATED, options);
    option("--feature-gates=", GATES, options);
    return options;
  }

  private static void option(String name, String variable, List<String> options) {
    String value = System.getenv(variable);
    if (value != null) {
      options.add(name + value);
    }
  }

  private String startEtcd() throws IOException {
    String client = "http://127.0.0.1:" + FreePort.find();
    String peer = "http://127.0.0.1:" + FreePort.find();
    start(
        "etcd",
        List.of(
            "--data-dir=" + folder.resolve("etcd"),
            "--listen-client-urls=" + client,
            "--advertise-client-urls=" + client,
            "--listen-peer-urls=" + peer,
            "--initial-advertise-peer-urls=" + peer,
            "--initial-cluster=default=" + peer,
            "--unsafe-no-fsync"));
    return client;
  }

  private List<String> apiServer(String etcd, int port) throws IOException {
    writeKeys();
    Path tokens =
        Files.writeString(folder.resolve("tokens.csv"), ADMIN + ",admin,1,system:masters");
    return List.of(
        "--etcd-servers=" + etcd,
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        "--secure-port=" + port,
        "--cert-dir=" + folder.resolve("certificates"),
        "--service-cluster-ip-range=10.0.0.0/24",
        "--token-auth-file=" + tokens,
        "--authorization-mode=RBAC",
        "--disable-admission-plugins=ServiceAccount",
        "--allow-privileged=true",
        "--service-account-issuer=" + ISSUER,
        "--api-audiences=" + ISSUER,
        "--service-account-key-file=" + folder.resolve("service-account.pub"),
        "--service-account-signing-key-file=" + folder.resolve("service-account.key"));
  }

  private List<String> controllers() throws IOException {
    return List.of(
        "--kubeconfig=" + kubeconfig(folder, ADMIN),
        "--bind-address=127.0.0.1",
        "--secure-port=" + FreePort.find(),
        "--cert-dir=" + folder.resolve("certificates-of-controllers"),
        "--leader-elect=false",
        "--controllers=deployment,replicaset,job,garbagecollector,podgc,persistentvolume-binder,"
            + "resourceclaim-controller,"
            + "pvc-protection,pv-protection");
  }

  @Override
  public void startScheduler() {
    if (hasScheduler()) {
      try {
        scheduler =
            Optional.of(
                start(
                    KubeScheduler.PROGRAM,
                    KubeScheduler.stock(kubeconfig(folder, ADMIN)).options(folder)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void stopScheduler() {
    scheduler.ifPresent(running -> {
      processes.remove(running);
      running.destroy();
      running.onExit().join();
    });
    scheduler = Optional.empty();
  }

  private void writeKeys() throws IOException {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      KeyPair pair = generator.generateKeyPair();
      Pem.write(folder.resolve("service-account.key"), Pem.PRIVATE_KEY, pair.getPrivate());
      Pem.write(folder.resolve("service-account.pub"), Pem.PUBLIC_KEY, pair.getPublic());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private Process start(String name, List<String> options) throws IOException {
    List<String> command = new ArrayList<>(List.of(assets.resolve(name).toString()));
    command.addAll(options);
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(folder.resolve(name + ".log").toFile()))
            .start();
    processes.add(process);
    return process;
  }

  private boolean isReady(Kube kube) {
    for (Process process : processes) {
      if (!process.isAlive()) {
        throw new IllegalStateException("a server ended by itself, see the logs in " + folder);
      }
    }
    try {
      return kube.get("/readyz").isSuccessful()
          && kube.get("/api/v1/namespaces/default").isSuccessful();
    } catch (UncheckedIOException e) {
      return false; // not listening yet
    }
  }

  @Override
  public Config admin() {
    return admin;
  }

  @Override
  public boolean hasControllers() {
    return Files.isExecutable(assets.resolve(CONTROLLERS));
  }

  @Override
  public boolean hasScheduler() {
    return schedulerProgram().isPresent();
  }

  @Override
  public Optional<Path> schedulerProgram() {
    return Optional.of(assets.resolve(KubeScheduler.PROGRAM)).filter(Files::isExecutable);
  }

  @Override
  public String webhookHost() {
    return "127.0.0.1";
  }

  @Override
  public boolean mustReachWebhooks() {
    return true;
  }

  /** As the documents call them. */
  @Override
  public Names names() {
    return new Names("cotenant", "cotenant-system", "team-a", "team-outside", "node-");
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
