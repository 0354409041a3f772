package dev.cotenant.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.domain.text.Sha256;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The second scheduler: its configuration, its credentials and the policies that name it. */
class SchedulerTest {
  private static final String ENABLED = "scheduler: {enabled: true}";
  private static final String SECRET =
      "/api/v1/namespaces/cotenant-system/secrets/cotenant-scheduler";

  private final Manifests objects = Chart.render(ENABLED);
  private final PodSpec pod =
      objects.component(Deployment.class, "scheduler").getSpec().getTemplate().getSpec();
  private final Container container = pod.getContainers().getFirst();

  @Test
  void isOffByDefault() {
    Manifests standard = Chart.render("{}");

    assertThat(standard.all(Deployment.class)).hasSize(1);
    assertThat(properties(standard)).doesNotContain("scheduler-name", "tokens-file");
  }

  @Test
  void runsAStockKubeSchedulerTwice() {
    assertThat(container.getImage()).isEqualTo("registry.k8s.io/kube-scheduler:v1.36.2");
    assertThat(container.getCommand()).containsExactly("kube-scheduler");
    assertThat(container.getArgs())
        .contains("--config=/etc/kubernetes/scheduler/config.yaml")
        .contains("--v=1"); // from 2 on it logs the token
    assertThat(objects.component(Deployment.class, "scheduler").getSpec().getReplicas())
        .isEqualTo(2);
  }

  @Test
  void verifiesTheCertificateAndFailsWithoutTheExtender() {
    JsonNode extender = configuration(objects).path("extenders").path(0);

    assertThat(extender.path("enableHTTPS").booleanValue()).isTrue();
    assertThat(extender.path("tlsConfig").path("caFile").asText())
        .isEqualTo(container.getVolumeMounts().getFirst().getMountPath() + "/ca.crt");
    assertThat(extender.path("ignorable").booleanValue()).isFalse();
    assertThat(extender.has("managedResources")).isFalse();
  }

  @Test
  void asksTheLeaderOfTheRelease() {
    Manifests other =
        Chart.render("gpus", "platform", "{scheduler: {enabled: true, name: sharing}}");
    JsonNode configuration = configuration(other);

    assertThat(configuration.path("extenders").path(0).path("urlPrefix").asText())
        .endsWith("@gpus-cotenant-leader.platform.svc/extender");
    assertThat(other.byName()).containsKey("Service/platform/gpus-cotenant-leader");
    assertThat(configuration.path("profiles").path(0).path("schedulerName").asText())
        .isEqualTo("sharing");
    assertThat(configuration.path("leaderElection").path("resourceName").asText())
        .isEqualTo("gpus-cotenant-scheduler");
    assertThat(configuration.path("leaderElection").path("resourceNamespace").asText())
        .isEqualTo("platform");
  }

  @Test
  void presentsATokenOfWhichTheServiceHasTheDigestAlone() {
    Secret secret = secret(objects);
    String token = decoded(secret, "token");

    assertThat(token).matches("[A-Za-z0-9]{48}");
    assertThat(decoded(secret, "tokens"))
        .isEqualTo("cotenant-scheduler scheduler sha256:" + Sha256.of(token) + "\n");
    assertThat(configuration(objects).path("extenders").path(0).path("urlPrefix").asText())
        .startsWith("https://scheduler:" + token + "@");
    assertThat(properties(objects))
        .contains("cotenant.rest.tokens-file=/etc/cotenant/tokens/tokens\n")
        .doesNotContain(token);
    assertThat(objects.service().getSpec().getTemplate().getSpec().getVolumes())
        .filteredOn(volume -> volume.getName().equals("tokens"))
        .singleElement()
        .satisfies(volume ->
            assertThat(volume.getSecret().getItems())
                .extracting(KeyToPath::getKey)
                .containsExactly("tokens"));
    assertThat(pod.getVolumes().getFirst().getProjected().getSources())
        .extracting(VolumeProjection::getSecret)
        .flatExtracting(source -> source.getItems())
        .extracting(KeyToPath::getKey)
        .containsExactly("config.yaml", "ca.crt");
  }

  @Test
  void anUpgradeKeepsTheToken() {
    Secret first = secret(objects);
    String json = new ObjectMapper().valueToTree(first).toString();

    Secret second = FakeApiServer.withSecret(SECRET, json, () -> secret(Chart.upgrade(ENABLED)));

    assertThat(second).isEqualTo(first);
    assertThat(secret(Chart.upgrade(ENABLED))).isNotEqualTo(first);
  }

  @Test
  void anUpgradeReplacesATokenThatIsTooShort() {
    Secret first = secret(Chart.upgrade(ENABLED));
    first.getData().put("token", Base64.getEncoder().encodeToString("short".getBytes(UTF_8)));
    String json = new ObjectMapper().valueToTree(first).toString();

    Secret second = FakeApiServer.withSecret(SECRET, json, () -> secret(Chart.upgrade(ENABLED)));

    assertThat(decoded(second, "token")).hasSize(48);
  }

  @Test
  void startsAgainWithAnotherTokenOrAuthority() {
    Map<String, String> annotations =
        objects
            .component(Deployment.class, "scheduler")
            .getSpec()
            .getTemplate()
            .getMetadata()
            .getAnnotations();
    Secret certificate = objects.named(Secret.class, "cotenant-webhook-tls");

    assertThat(annotations)
        .containsEntry("checksum/authority", Sha256.of(certificate.getData().get("ca.crt")))
        .containsEntry(
            "checksum/configuration",
            Sha256.of(decoded(secret(objects), "config.yaml").stripTrailing()));
  }

  @Test
  void trustsTheAuthorityThatTheUserBringsAlong() {
    Manifests brought =
        Chart.render(
            "{scheduler: {enabled: true, existingSecret: mine},"
                + " certs: {existingSecret: tls, caBundle: Q0E=}}");

    assertThat(brought.all(Secret.class)).isEmpty();
    assertThat(brought.named(ConfigMap.class, "cotenant-scheduler").getData())
        .containsExactly(Map.entry("ca.crt", "CA\n"));
    List<VolumeProjection> sources =
        brought
            .component(Deployment.class, "scheduler")
            .getSpec()
            .getTemplate()
            .getSpec()
            .getVolumes()
            .getFirst()
            .getProjected()
            .getSources();
    assertThat(sources.getFirst().getSecret().getName()).isEqualTo("mine");
    assertThat(sources.getLast().getConfigMap().getName()).isEqualTo("cotenant-scheduler");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {scheduler: {enabled: true}}                                             | cotenant-scheduler
          {scheduler: {enabled: true, name: sharing}}                              | sharing
          {scheduler: {enabled: true}, policy: {schedulerName: default-scheduler}} | default-scheduler
          {scheduler: {enabled: true}, policy: {gpuAssignment: hami}}                  | ''
          {scheduler: {enabled: true}, policy: {gpuAssignment: dra}}                   | ''
          {policy: {schedulerName: default-scheduler}}                             | default-scheduler
          {}                                                                       | ''
          """)
  void isNamedByTheDefaultPolicyUnlessThatNamesAnother(String values, String name) {
    String properties = properties(Chart.render(values));

    if (name.isEmpty()) {
      assertThat(properties).doesNotContain("scheduler-name");
    } else {
      assertThat(properties).contains("cotenant.policy.scheduler-name=" + name + "\n");
    }
  }

  @Test
  void reachesTheServiceThroughTheNetworkPolicy() {
    NetworkPolicy policy =
        Chart.render(
                "{scheduler: {enabled: true}, networkPolicy: {enabled: true, apiServerFrom:"
                    + " [{ipBlock: {cidr: 10.0.0.1/32}}]}}")
            .only(NetworkPolicy.class);
    Map<String, String> labels =
        objects
            .component(Deployment.class, "scheduler")
            .getSpec()
            .getTemplate()
            .getMetadata()
            .getLabels();

    assertThat(policy.getSpec().getIngress().getFirst().getFrom())
        .filteredOn(peer -> peer.getPodSelector() != null)
        .anySatisfy(peer ->
            assertThat(labels).containsAllEntriesOf(peer.getPodSelector().getMatchLabels()));
    assertThat(policy.getSpec().getEgress())
        .flatExtracting(rule -> rule.getPorts())
        .extracting(port -> port.getPort().getIntVal())
        .contains(8443, 443, 6443);
  }

  /** Helm takes its cluster for Kubernetes {@code 1.20} here. */
  @Test
  void notesSayWhereItsVersionDoesNotFitTheCluster() {
    assertThat(Chart.notes(ENABLED)).contains("kube-scheduler v1.36.2", "scheduler.image.tag");
    assertThat(Chart.notes("{}")).doesNotContain("kube-scheduler");
  }

  private static Secret secret(Manifests objects) {
    return objects.component(Secret.class, "scheduler");
  }

  private static JsonNode configuration(Manifests objects) {
    return Manifests.parseOne(decoded(secret(objects), "config.yaml"));
  }

  private static String decoded(Secret secret, String key) {
    return new String(Base64.getDecoder().decode(secret.getData().get(key)), UTF_8);
  }

  private static String properties(Manifests objects) {
    String name = objects.service().getMetadata().getName();
    return objects.named(ConfigMap.class, name).getData().get("application.properties");
  }
}
