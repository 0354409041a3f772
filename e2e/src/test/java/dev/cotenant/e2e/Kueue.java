package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.domain.testing.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Kueue's manager outside the cluster, for Jobs alone, with Kueue's own definitions, webhooks and
 * management of certificates. Two things of a cluster are played: its Service is a name for
 * loopback, and the Secret that Kueue writes its certificate to is copied into the folder where a
 * pod would have it mounted.
 */
final class Kueue implements AutoCloseable {
  private static final String PROGRAM = "kueue";
  private static final String MANIFESTS = "kueue-crds";
  private static final String SERVICE = "kueue-webhook-service";
  private static final String SECRET = "kueue-webhook-server-cert";
  private static final String DEFINITION = "CustomResourceDefinition";

  /** Sorts before the release's. */
  private static final String FIRST = "a-kueue-mutating-webhook-configuration";

  /** The webhooks of its own kinds and of the one integration that is on. */
  private static final Set<String> GROUPS = Set.of("kueue.x-k8s.io", "batch");

  private final Kube admin;
  private final Stage stage;
  private final String namespace;
  private final List<ObjectNode> manifests;
  private final Path folder;
  private final int webhookPort;
  private final int healthPort;
  private final Process process;

  /** Whether a folder has the program and the definitions. */
  static boolean isIn(Path programs) {
    return Files.isExecutable(programs.resolve(PROGRAM))
        && Files.isDirectory(programs.resolve(MANIFESTS));
  }

  /** Starts it; it is called afterwards. */
  Kueue(Stage stage, Path programs) {
    this.stage = stage;
    admin = stage.admin();
    namespace = stage.names().system();
    manifests = manifests(programs.resolve(MANIFESTS));
    boolean started = false;
    try {
      folder = Files.createTempDirectory(stage.folder(), PROGRAM);
      webhookPort = FreePort.find();
      healthPort = FreePort.find();
      define();
      makeServiceAndSecret();
      process = start(programs.resolve(PROGRAM));
      registerWebhooks();
      try {
        mountCertificate();
        Eventually.holds("Kueue is ready, see " + folder, this::isReady);
        Eventually.holds("Kueue's webhook is called, see " + folder, this::suspendsJobs);
        started = true;
      } finally {
        if (!started) {
          close();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<ObjectNode> manifests(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      List<ObjectNode> all = new ArrayList<>();
      for (Path file : files.sorted().toList()) {
        all.addAll(Release.parse(Files.readString(file)));
      }
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Stream<ObjectNode> ofKind(String kind) {
    return manifests.stream().filter(object -> object.path("kind").asText().equals(kind));
  }

  private void define() {
    ofKind(DEFINITION).forEach(object -> admin.put(stage.release().path(object), object));
    ofKind(DEFINITION)
        .forEach(object -> {
          String group = object.at("/spec/group").asText();
          String resource = object.at("/spec/names/plural").asText();
          Eventually.holds(resource + " are known", () -> admin.discovers(group, resource));
        });
  }

  private void makeServiceAndSecret() {
    admin.put(
        services(),
        object("Service", SERVICE, "spec: {type: ExternalName, externalName: localhost}"));
    admin.put(secrets(), object("Secret", SECRET, "type: Opaque"));
  }

  private String services() {
    return "/api/v1/namespaces/" + namespace + "/services";
  }

  private String secrets() {
    return "/api/v1/namespaces/" + namespace + "/secrets";
  }

  private void registerWebhooks() {
    for (String kind : List.of(Release.MUTATING, Release.VALIDATING)) {
      webhooks(kind).forEach(webhooks -> admin.put(stage.release().path(webhooks), webhooks));
    }
  }

  /** With the names that Kueue looks for to write its authority into them. */
  private List<ObjectNode> webhooks(String kind) {
    return ofKind(kind)
        .map(manifest -> {
          ObjectNode copy = manifest.deepCopy();
          ObjectNode metadata = copy.withObject("/metadata");
          metadata.put("name", PROGRAM + "-" + metadata.path("name").asText());
          List<JsonNode> webhooks = new ArrayList<>();
          copy.path("webhooks").forEach(webhooks::add);
          webhooks.removeIf(one -> !GROUPS.contains(one.at("/rules/0/apiGroups/0").asText()));
          webhooks.forEach(this::lead);
          copy.putArray("webhooks").addAll(webhooks);
          return copy;
        })
        .toList();
  }

  private void lead(JsonNode webhook) {
    ((ObjectNode) webhook.at("/clientConfig/service"))
        .put("name", SERVICE)
        .put("namespace", namespace)
        .put("port", webhookPort);
  }

  /** Has the API server call its mutating webhooks before those of the release, or after them. */
  void callFirst(boolean first) {
    ObjectNode webhooks = webhooks(Release.MUTATING).getFirst();
    String path = stage.release().path(webhooks);
    String usual = webhooks.at("/metadata/name").asText();
    String present = first ? usual : FIRST;
    ObjectNode copy = admin.get(path + "/" + present).required().deepCopy();
    admin.delete(path + "/" + present).required();
    Eventually.holds("Kueue's webhook is not called", () -> !suspendsJobs());
    copy.putObject("metadata").put("name", first ? FIRST : usual);
    admin.put(path, copy);
    Eventually.holds("Kueue's webhook is called", this::suspendsJobs);
  }

  private boolean suspendsJobs() {
    Kube.Answer probe =
        stage
            .workloads(stage.names().templates())
            .queueDry("probe", 1, PodManifest.named("probe").sharing());
    return probe.isSuccessful() && probe.body().at("/spec/suspend").asBoolean();
  }

  private Process start(Path program) throws IOException {
    Path configuration = folder.resolve("configuration.yaml");
    Files.writeString(
        configuration,
        """
        apiVersion: config.kueue.x-k8s.io/v1beta1
        kind: Configuration
        namespace: %s
        health: {healthProbeBindAddress: "127.0.0.1:%d"}
        metrics: {bindAddress: "0"}
        webhook: {host: 127.0.0.1, port: %d, certDir: "%s"}
        internalCertManagement: {enable: true, webhookServiceName: %s, webhookSecretName: %s}
        leaderElection: {leaderElect: false}
        integrations: {frameworks: [batch/job]}
        """
            .formatted(namespace, healthPort, webhookPort, certificates(), SERVICE, SECRET));
    Path kubeconfig = stage.cluster().kubeconfig(folder, stage.cluster().admin().getOauthToken());
    return new ProcessBuilder(
            program.toString(),
            "--config=" + configuration,
            "--kubeconfig=" + kubeconfig,
            "--feature-gates=VisibilityOnDemand=false")
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve(PROGRAM + ".log").toFile())
        .start();
  }

  private Path certificates() {
    return folder.resolve("certificates");
  }

  /** As a kubelet does for the pod of the manager; it waits for the certificate's file. */
  private void mountCertificate() throws IOException {
    Eventually.holds(
        "Kueue has made its certificate, see " + folder,
        () -> isAlive() && !secret().at("/data/tls.crt").isMissingNode());
    JsonNode data = secret().path("data");
    Files.createDirectories(certificates());
    for (String file : List.of("tls.key", "tls.crt")) {
      Files.write(
          certificates().resolve(file), Base64.getDecoder().decode(data.path(file).asText()));
    }
  }

  private JsonNode secret() {
    return admin.get(secrets() + "/" + SECRET).required();
  }

  private boolean isAlive() {
    if (!process.isAlive()) {
      throw new IllegalStateException("Kueue has ended by itself, see the log in " + folder);
    }
    return true;
  }

  private boolean isReady() {
    URI readiness = URI.create("http://127.0.0.1:" + healthPort + "/readyz");
    try (HttpClient client = HttpClient.newHttpClient()) {
      return isAlive()
          && client
                  .send(
                      HttpRequest.newBuilder(readiness).build(),
                      HttpResponse.BodyHandlers.discarding())
                  .statusCode()
              == 200;
    } catch (IOException e) {
      return false; // not listening yet
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static ObjectNode object(String kind, String name, String fields) {
    return Release.parse(
            """
            apiVersion: v1
            kind: %s
            metadata: {name: %s}
            %s
            """
                .formatted(kind, name, fields))
        .getFirst();
  }

  @Override
  public void close() {
    for (String kind : List.of(Release.MUTATING, Release.VALIDATING)) {
      webhooks(kind).forEach(webhooks -> admin.delete(stage.release().named(webhooks)));
    }
    process.destroy();
    process.onExit().join();
    ofKind(DEFINITION).forEach(object -> admin.delete(stage.release().named(object)));
    admin.delete(services() + "/" + SERVICE);
    admin.delete(secrets() + "/" + SECRET);
  }
}
