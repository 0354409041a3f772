package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** That the service is told what the values say, in words that it knows. */
class ConfigurationTest {
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(cotenant\\.[^`]+)` \\|");
  private static final Set<String> DOCUMENTED = documented();

  private static Set<String> documented() {
    Set<String> keys = new TreeSet<>();
    ROW.matcher(Chart.read("docs/configuration.md"))
        .results()
        .forEach(row -> keys.add(row.group(1)));
    return keys;
  }

  @ParameterizedTest
  @MethodSource("dev.cotenant.deploy.CombinationsTest#combinations")
  void everyKeyIsOneThatTheServiceKnows(Path file) {
    Manifests objects = Chart.render(Chart.read(file));

    properties(objects).stringPropertyNames().stream()
        .filter(key -> key.startsWith("cotenant."))
        .forEach(key -> assertThat(isDocumented(key)).as(key).isTrue());
    container(objects).getEnv().stream()
        .map(EnvVar::getName)
        .filter(name -> name.startsWith("COTENANT_"))
        .forEach(name ->
            assertThat(DOCUMENTED)
                .anyMatch(key ->
                    key.toUpperCase(java.util.Locale.ROOT).replaceAll("[.-]", "_").equals(name)));
  }

  /** Policies by name and limits by device repeat the keys of the standard ones. */
  private static boolean isDocumented(String key) {
    String plain =
        key.replaceFirst(
                "^cotenant\\.policies\\.[a-z0-9-]+\\.namespaces$", "cotenant.policies.<name>")
            .replaceFirst("^cotenant\\.policies\\.[a-z0-9-]+\\.", "cotenant.policy.")
            .replaceFirst(
                "^cotenant\\.policy\\.devices\\.[a-z0-9-]+\\.", "cotenant.policy.limits.");
    return DOCUMENTED.contains(plain);
  }

  private static Properties properties(Manifests objects) {
    String text =
        objects.named(ConfigMap.class, mapName(objects)).getData().get("application.properties");
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties;
  }

  private static String mapName(Manifests objects) {
    return objects.service().getMetadata().getName();
  }

  private static Container container(Manifests objects) {
    return objects.service().getSpec().getTemplate().getSpec().getContainers().getFirst();
  }

  @Test
  void namesOfPoliciesAndDevicesStayAsTheyAre() {
    Properties properties =
        properties(
            Chart.render(
                """
                policy: {mode: shadow, maxSkips: 1000000, devices: {a100-80gb: {memoryHeadroomPercent: 2.5}}}
                policies: {team-a1: {namespaces: [x, z], maxWait: 1h, limits: {tenants: 2}}}
                """));

    assertThat(properties)
        .containsEntry("cotenant.policy.max-skips", "1000000")
        .containsEntry("cotenant.policy.devices.a100-80gb.memory-headroom-percent", "2.5")
        .containsEntry("cotenant.policies.team-a1.namespaces", "x,z")
        .containsEntry("cotenant.policies.team-a1.max-wait", "1h")
        .containsEntry("cotenant.policies.team-a1.limits.tenants", "2");
  }

  @Test
  void theServiceKnowsWhereLanguageModelsLie() {
    Properties properties =
        properties(
            Chart.render(
                "{policy: {engineBudget: write},"
                    + " policies: {research: {namespaces: [x], engineBudget: advise}},"
                    + " models: {hub: /srv/hub, folders: {/models: /srv/a, /mnt: /srv},"
                    + " urls: [https://a.example/, https://b.example/org/],"
                    + " privateUrls: [https://models.svc/]}}"));

    assertThat(properties)
        .containsEntry("cotenant.policy.engine-budget", "write")
        .containsEntry("cotenant.policies.research.engine-budget", "advise")
        .containsEntry("cotenant.models.hub", "/srv/hub")
        .containsEntry("cotenant.models.folders", "/mnt=/srv,/models=/srv/a")
        .containsEntry("cotenant.models.urls", "https://a.example/,https://b.example/org/")
        .containsEntry("cotenant.models.private-urls", "https://models.svc/");
    assertThat(properties(Chart.render("{}")))
        .containsEntry("cotenant.policy.engine-budget", "advise")
        .doesNotContainKeys(
            "cotenant.models.hub",
            "cotenant.models.folders",
            "cotenant.models.urls",
            "cotenant.models.private-urls");
  }

  @Test
  void backslashesSurvive() {
    Properties properties =
        properties(Chart.render("prometheus: {matchers: 'region=~\"eu-\\d\"'}"));

    assertThat(properties).containsEntry("cotenant.prometheus.matchers", "region=~\"eu-\\d\"");
  }

  @Test
  void theServiceTrustsTheAccountThatItRunsAs() {
    Properties properties =
        properties(Chart.render("serviceAccount: {create: false, name: platform}"));

    assertThat(properties)
        .containsEntry(
            "cotenant.webhook.service-account", "system:serviceaccount:cotenant-system:platform");
  }

  @Test
  void trustsNoLoopbackAndShowsNoPageToTryRestOn() {
    assertThat(properties(Chart.render("{}")))
        .containsEntry("cotenant.rest.trust-loopback", "false")
        .containsEntry("quarkus.swagger-ui.enabled", "false");
    assertThat(properties(Chart.render("swaggerUi: {enabled: true}")))
        .containsEntry("quarkus.swagger-ui.enabled", "true");
  }

  /** There every process of the node is on loopback; a variable would count more than the file. */
  @Test
  void trustsNoLoopbackInTheHostsNetwork() {
    Manifests objects = Chart.render("webhook: {hostNetwork: true}");

    assertThat(objects.only(Deployment.class).getSpec().getTemplate().getSpec().getHostNetwork())
        .isTrue();
    assertThat(properties(objects)).containsEntry("cotenant.rest.trust-loopback", "false");
    assertThat(container(objects).getEnv())
        .extracting(EnvVar::getName)
        .doesNotContain("COTENANT_REST_TRUST_LOOPBACK");
  }

  @Test
  void theServiceKnowsTheNamesOfItsServices() {
    Manifests objects = Chart.render("rest: {allowedHosts: [gpus.example.com]}");
    List<String> hosts =
        List.of(properties(objects).getProperty("cotenant.rest.allowed-hosts").split(","));

    for (Service service : objects.all(Service.class)) {
      String name = service.getMetadata().getName();
      String namespace = service.getMetadata().getNamespace();
      assertThat(hosts)
          .contains(
              name,
              name + "." + namespace,
              name + "." + namespace + ".svc",
              name + "." + namespace + ".svc.cluster.local");
    }
    assertThat(hosts).hasSize(13).contains("gpus.example.com");
  }

  @Test
  void asksForClientCertificatesWhereTheirSignerIsNamed() {
    assertThat(properties(Chart.render("{}"))).doesNotContainKey("cotenant.webhook.client-ca");
    assertThat(
            properties(
                Chart.render(
                    "webhook: {clientCa: {secret: signers}, clientNames: [kube-apiserver, b]}")))
        .containsEntry("cotenant.webhook.client-ca", "/etc/cotenant/client-ca/ca.crt")
        .containsEntry("cotenant.webhook.client-names", "kube-apiserver,b");
  }

  @Test
  void mountsTheFileOfDevicesAsAFolderSoThatItChangesInPlace() {
    Manifests named = Chart.render("devices: {configMap: gpu-devices, key: gpus}");
    Manifests inValues = Chart.render("devices: {csv: \"id,product_name\\nx,y\"}");

    assertThat(properties(Chart.render("{}"))).doesNotContainKey("cotenant.devices.file");
    for (Manifests objects : List.of(named, inValues)) {
      assertThat(properties(objects))
          .containsEntry("cotenant.devices.file", "/etc/cotenant/devices/devices.csv");
      assertThat(container(objects).getVolumeMounts())
          .filteredOn(mount -> mount.getMountPath().equals("/etc/cotenant/devices"))
          .singleElement()
          .matches(mount -> mount.getSubPath() == null);
    }
    assertThat(inValues.named(ConfigMap.class, mapName(inValues) + "-devices").getData())
        .containsEntry("devices.csv", "id,product_name\nx,y\n");
    assertThat(checksum(inValues)).isEqualTo(checksum(Chart.render("devices: {csv: \"id\"}")));
  }

  @Test
  void anotherConfigurationIsAnotherRolloutAndAnotherCertificateIsNot() {
    String same = checksum(Chart.upgrade("{}"));

    assertThat(checksum(Chart.upgrade("{}"))).isEqualTo(same);
    assertThat(checksum(Chart.render("policy: {mode: shadow}"))).isNotEqualTo(same);
  }

  private static String checksum(Manifests objects) {
    return objects
        .service()
        .getSpec()
        .getTemplate()
        .getMetadata()
        .getAnnotations()
        .get("checksum/configuration");
  }

  @Test
  void secretsReachTheServiceThroughItsEnvironmentAlone() {
    Manifests objects =
        Chart.render(
            """
            database: {url: "jdbc:postgresql://db/cotenant", existingSecret: db}
            rest: {existingSecret: rest}
            """);

    assertThat(container(objects).getEnv())
        .filteredOn(variable ->
            variable.getValueFrom() != null && variable.getValueFrom().getSecretKeyRef() != null)
        .extracting(EnvVar::getName)
        .containsExactly("COTENANT_DATABASE_PASSWORD", "COTENANT_REST_TOKEN");
    assertThat(properties(objects)).doesNotContainKeys("cotenant.database.password");
  }

  @ParameterizedTest
  @ValueSource(strings = {"peak-bound", "resaware", "grants", "stay"})
  void everyForecastPolicyReachesTheService(String policy) {
    assertThat(properties(Chart.render("forecast: {policy: " + policy + "}")))
        .containsEntry("cotenant.forecast.policy", policy);
  }
}
