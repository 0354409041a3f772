package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/**
 * A real API server shows the webhooks a certificate, with the keys, files and option of
 * docs/install.md; whoever shows none is refused.
 */
class ClientCertificatesIT {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));
  private static final Names NAMES =
      new Names("cotenant", "cotenant-system", "team-a", "team-outside", "node-");

  private final List<Integer> ports = new CopyOnWriteArrayList<>();

  @Test
  void theApiServerIsKnownByItsCertificateAndOthersAreRefused() throws Exception {
    Path programs = Clusters.requirePrograms();
    Path folder = Files.createTempDirectory("cotenant-e2e");
    DocumentedClientCertificates documented =
        new DocumentedClientCertificates(ROOT, folder.resolve("admission"));
    documented.makeKeys();
    try (Balancer port = new Balancer("127.0.0.1", () -> ports)) {
      documented.writeFiles(port.port());
      try (TestControlPlane cluster =
              new TestControlPlane(programs, folder, List.of(documented.option()));
          Kube admin = new Kube(cluster.admin())) {
        WebhookCertificate serving =
            new WebhookCertificate(folder, DocumentedClientCertificates.host());
        Release release = new Release(ROOT, NAMES, values(serving));
        install(release, admin, port.port());
        try (CotenantProcess service = start(release, admin, cluster, documented)) {
          ports.add(service.webhookPort());
          gatesPods(new Pods(admin, NAMES.team()), service);
          refusesOthers(service);
        }
      }
    }
  }

  private static String values(WebhookCertificate serving) {
    return """
    certs: {existingSecret: tls-of-the-test, caBundle: "%s"}
    webhook: {clientCa: {configMap: webhook-clients}, clientNames: [kube-apiserver], timeoutSeconds: 10}
    """
        .formatted(serving.authority());
  }

  /** The Service leads to loopback; its name is what the API server knows. */
  private static void install(Release release, Kube admin, int port) {
    namespace(admin, NAMES.system(), "disabled");
    namespace(admin, NAMES.team(), "enabled");
    release.installAccess(admin);
    ObjectNode service =
        release.only(
            "Service",
            one ->
                (one.at("/metadata/name").asText() + "." + NAMES.system() + ".svc")
                    .equals(DocumentedClientCertificates.host()));
    ObjectNode loopback = service.deepCopy();
    loopback.putObject("spec").put("type", "ExternalName").put("externalName", "localhost");
    admin.put(release.path(loopback), loopback);
    release.installWebhooks(admin, port);
  }

  private static void namespace(Kube admin, String name, String colocation) {
    admin
        .create(
            "/api/v1/namespaces",
            """
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "%s",
             "labels": {"cotenant.dev/colocation": "%s"}}}
            """
                .formatted(name, colocation))
        .required();
  }

  private static CotenantProcess start(
      Release release, Kube admin, TestControlPlane cluster, DocumentedClientCertificates keys)
      throws IOException {
    Path folder = keys.folder().getParent();
    String configuration =
        release
            .only("ConfigMap", map -> map.path("data").has("application.properties"))
            .at("/data/application.properties")
            .asText()
            .replace("/etc/cotenant/tls/", folder + "/")
            .replace("/etc/cotenant/client-ca/", keys.folder() + "/");
    return CotenantProcess.start(
        new CotenantProcess.Install(
            folder,
            ROOT,
            release.only("Deployment", _ -> true).at("/spec/template/spec/containers/0"),
            configuration,
            cluster.kubeconfig(folder, release.token(admin, release.account()))),
        "replica");
  }

  /**
   * Without a certificate they would go through, as the chart has {@code failurePolicy: Ignore}.
   */
  private static void gatesPods(Pods pods, CotenantProcess service) {
    Eventually.holds(
        "pods are gated",
        () ->
            pods.tryCreate(PodManifest.named("probe-" + System.nanoTime()))
                .body()
                .toString()
                .contains(PodManifest.GATE));
    assertThat(service.metric("cotenant_webhook_refused_callers_total")).isZero();
  }

  private static void refusesOthers(CotenantProcess service) {
    Config anybody =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("https://127.0.0.1:" + service.webhookPort())
            .withTrustCerts(true)
            .build();
    try (Kube caller = new Kube(anybody)) {
      assertThat(caller.create("/webhooks/mutate", "{}").code()).isEqualTo(403);
      assertThat(caller.create("/webhooks/validate", "{}").code()).isEqualTo(403);
    }
    assertThat(service.metric("cotenant_webhook_refused_callers_total")).isEqualTo(2);
  }
}
