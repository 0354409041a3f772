package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.cotenant.deploy.testing.ChartCopy;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The kustomization is what the chart makes. {@code -Dcotenant.deploy.write=true} writes its
 * generated files anew.
 */
class KustomizeTest {
  private static final Path FOLDER = Chart.file("deploy/kustomize");
  private static final String CERT_MANAGER = "cert-manager.io/v1";
  private static final String MONITORING = "monitoring.coreos.com/v1";
  private static final String CONFIGURATION = "ConfigMap/cotenant-system/cotenant";
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .enable(YAMLGenerator.Feature.LITERAL_BLOCK_STYLE)
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .build();

  /** Generated files, and which objects of the chart are in each. */
  enum Generated {
    BASE("base/cotenant.yaml") {
      @Override
      Stream<JsonNode> objects() {
        return certified().filter(is(CERT_MANAGER).negate()).filter(KustomizeTest::isNoInput);
      }
    },
    CERTIFICATES("overlays/cert-manager/certificates.yaml") {
      @Override
      Stream<JsonNode> objects() {
        return certified().filter(is(CERT_MANAGER));
      }
    },
    MONITORED("components/monitoring/monitoring.yaml") {
      @Override
      Stream<JsonNode> objects() {
        return rendered(
                "serviceMonitor: {enabled: true}",
                "prometheusRule: {enabled: true}",
                "grafanaDashboard: {enabled: true}")
            .filter(object -> is(MONITORING).test(object) || isDashboard(object));
      }
    },
    SCHEDULER("components/scheduler/scheduler.yaml") {
      @Override
      Stream<JsonNode> objects() {
        return withScheduler().filter(KustomizeTest::isOfTheScheduler);
      }
    },
    UNINSTALL("uninstall/uninstall.yaml") {
      @Override
      Stream<JsonNode> objects() {
        return Chart.render("{}").hooks("pre-delete").documents().stream()
            .map(KustomizeTest::withoutHelm);
      }
    };

    private final String path;

    Generated(String path) {
      this.path = path;
    }

    abstract Stream<JsonNode> objects();
  }

  private static Stream<JsonNode> certified() {
    return rendered("certManager: {enabled: true}");
  }

  private static Stream<JsonNode> withScheduler() {
    return rendered(
        "certManager: {enabled: true}",
        "scheduler: {enabled: true, existingSecret: cotenant-scheduler}");
  }

  private static boolean isOfTheScheduler(JsonNode object) {
    return object
        .path("metadata")
        .path("labels")
        .path("app.kubernetes.io/component")
        .asText()
        .equals("scheduler");
  }

  private static Stream<JsonNode> rendered(String... values) {
    return Chart.render(String.join("\n", values)).withoutHooks().documents().stream()
        .map(KustomizeTest::withoutHelm);
  }

  private static Predicate<JsonNode> is(String apiVersion) {
    return object -> object.path("apiVersion").asText().equals(apiVersion);
  }

  private static boolean isNoInput(JsonNode object) {
    return !Manifests.name(object).equals(CONFIGURATION);
  }

  private static boolean isDashboard(JsonNode object) {
    return object.path("metadata").path("labels").has("grafana_dashboard");
  }

  /** Says what Helm alone says, in kustomize's words or not at all. */
  private static JsonNode withoutHelm(JsonNode rendered) {
    ObjectNode object = rendered.deepCopy();
    for (JsonNode labels : object.findValues("labels")) {
      ((ObjectNode) labels).remove("helm.sh/chart");
      if (labels.has("app.kubernetes.io/managed-by")) {
        ((ObjectNode) labels).put("app.kubernetes.io/managed-by", "kustomize");
      }
    }
    for (JsonNode metadata : object.findValues("metadata")) {
      if (metadata.get("annotations") instanceof ObjectNode annotations) {
        // A generated config map's name changes with its content, which rolls pods by itself.
        annotations.remove("checksum/configuration");
        annotations.remove("cert-manager.io/inject-ca-from");
        annotations.remove(
            List.of(ChartCopy.HOOK, "helm.sh/hook-weight", "helm.sh/hook-delete-policy"));
        if (annotations.isEmpty()) {
          ((ObjectNode) metadata).remove("annotations");
        }
      }
    }
    return object;
  }

  @ParameterizedTest
  @EnumSource
  void isGeneratedFromTheChart(Generated generated) throws IOException {
    StringBuilder expected = new StringBuilder();
    expected.append("# Generated from the Helm chart, see deploy/README.md.\n");
    for (JsonNode object : generated.objects().toList()) {
      expected.append(YAML.writeValueAsString(object));
    }
    assertGenerated(generated.path, expected.toString());
  }

  @Test
  void hasTheConfigurationOfTheChart() throws IOException {
    assertGenerated("base/application.properties", configuration());
  }

  private static String configuration() {
    return certified()
        .filter(object -> Manifests.name(object).equals(CONFIGURATION))
        .map(object -> object.path("data").path("application.properties").asText())
        .findFirst()
        .orElseThrow();
  }

  private static void assertGenerated(String path, String expected) throws IOException {
    Path file = FOLDER.resolve(path);
    if (Boolean.getBoolean("cotenant.deploy.write")) {
      Files.writeString(file, expected);
    }
    assertThat(Chart.read(file)).as(path).isEqualTo(expected);
  }

  @Test
  void showsTheConfigurationOfTheScheduler() throws IOException {
    Secret secret = Chart.render("scheduler: {enabled: true}").component(Secret.class, "scheduler");
    String token = decoded(secret, "token");

    assertGenerated(
        "components/scheduler/config.yaml",
        "# Generated from the Helm chart; TOKEN stands for the scheduler's token, see"
            + " kustomization.yaml.\n"
            + decoded(secret, "config.yaml").replace(token, "TOKEN"));
  }

  private static String decoded(Secret secret, String key) {
    return new String(
        Base64.getDecoder().decode(secret.getData().get(key)), StandardCharsets.UTF_8);
  }

  /** In environment variables, as a component cannot change a properties file. */
  @Test
  void withTheSchedulerGivesTheServiceWhatTheChartGivesIt() {
    Manifests chart = new Manifests(withScheduler().toList());
    Manifests built =
        Kustomization.build(
            FOLDER.resolve("overlays/cert-manager"), FOLDER.resolve("components/scheduler"));
    PodSpec expected = chart.service().getSpec().getTemplate().getSpec();
    PodSpec service = built.service().getSpec().getTemplate().getSpec();

    assertThat(service.getVolumes()).containsExactlyInAnyOrderElementsOf(expected.getVolumes());
    assertThat(service.getContainers().getFirst().getVolumeMounts())
        .containsExactlyInAnyOrderElementsOf(expected.getContainers().getFirst().getVolumeMounts());
    assertThat(service.getContainers().getFirst().getEnv())
        .contains(
            new EnvVar("COTENANT_POLICY_SCHEDULER_NAME", "cotenant-scheduler", null),
            new EnvVar("COTENANT_REST_TOKENS_FILE", "/etc/cotenant/tokens/tokens", null))
        .containsAll(expected.getContainers().getFirst().getEnv());
    assertThat(built.named(ClusterRole.class, "cotenant").getRules())
        .containsExactlyInAnyOrderElementsOf(chart.named(ClusterRole.class, "cotenant").getRules());
    assertThat(built.component(Deployment.class, "scheduler"))
        .isEqualTo(chart.component(Deployment.class, "scheduler"));
  }

  @Test
  void withCertManagerMakesWhatTheChartMakes() {
    Map<String, JsonNode> expected = new TreeMap<>();
    certified().forEach(object -> expected.put(Manifests.name(object), plain(object)));

    Map<String, JsonNode> built = new TreeMap<>();
    Kustomization.build(FOLDER.resolve("overlays/cert-manager"))
        .byName()
        .forEach((name, object) -> built.put(name, plain(withoutHelm(object))));

    assertThat(built.remove("Namespace/-/cotenant-system")).isNotNull();
    assertThat(built).isEqualTo(expected);
  }

  /** Without the labels of a config map, which a generator does not give. */
  private static JsonNode plain(JsonNode object) {
    ObjectNode copy = object.deepCopy();
    if (Manifests.name(copy).equals(CONFIGURATION)) {
      ((ObjectNode) copy.get("metadata")).remove("labels");
    }
    return copy;
  }

  @Test
  void isBuiltByKustomizeAsItIsHere() throws IOException {
    Path kubectl = Path.of("/usr/bin/kubectl");
    assumeTrue(Files.isExecutable(kubectl), "kubectl, which has kustomize in it, is not installed");
    Path overlay = FOLDER.resolve("overlays/cert-manager");
    Process process =
        new ProcessBuilder(kubectl.toString(), "kustomize", overlay.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String built = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    // Generated config maps are named after their content, wherever they are named.
    String plainNames = built.replaceAll("name: cotenant-[a-z0-9]{10}\\b", "name: cotenant");
    assertThat(plainNames).isNotEqualTo(built);
    assertThat(Manifests.parse(plainNames).byName())
        .isEqualTo(Kustomization.build(overlay).byName());
  }

  @Test
  void namesTheIssuerOfCertificatesToTheApiServers() {
    Manifests built = Kustomization.build(FOLDER.resolve("overlays/cert-manager"));

    assertThat(built.documents())
        .filteredOn(object -> object.path("kind").asText().endsWith("WebhookConfiguration"))
        .extracting(object -> Manifests.annotation(object, "cert-manager.io/inject-ca-from"))
        .containsExactly("cotenant-system/cotenant", "cotenant-system/cotenant");
  }

  @Test
  void everyFileIsOfAKindThatTheApiKnows() {
    for (String folder :
        List.of("base", "overlays/cert-manager", "components/monitoring", "uninstall")) {
      Kustomization.build(FOLDER.resolve(folder)).documents().forEach(Types::read);
    }
  }

  @Test
  void namesEveryFileOfItsFolders() throws IOException {
    try (Stream<Path> files = Files.walk(FOLDER)) {
      for (Path folder : files.filter(Files::isDirectory).toList()) {
        Path kustomization = folder.resolve("kustomization.yaml");
        String[] yaml = folder.toFile().list((_, name) -> name.endsWith(".yaml"));
        for (String file : yaml == null ? new String[0] : yaml) {
          assertThat(Chart.read(kustomization)).contains(file.replace("kustomization.yaml", ""));
        }
      }
    }
  }
}
