package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How the service runs: how often, where, from which image and with whom it may talk. */
class ServiceTest {
  private final Manifests standard = Chart.render("{}");
  private final PodSpec pod = standard.only(Deployment.class).getSpec().getTemplate().getSpec();
  private final Container container = pod.getContainers().getFirst();
  private final String image = Chart.read("src/main/docker/Dockerfile.jvm");
  private final String imageWithoutDistribution =
      Chart.read("distribution/src/main/java/dev/cotenant/distribution/Image.java");

  @Test
  void runsTwiceInDifferentPlacesAndNeverNotAtAll() {
    Deployment deployment = standard.only(Deployment.class);

    assertThat(deployment.getSpec().getReplicas()).isEqualTo(2);
    assertThat(
            deployment.getSpec().getStrategy().getRollingUpdate().getMaxUnavailable().getIntVal())
        .isZero();
    assertThat(
            pod.getAffinity()
                .getPodAntiAffinity()
                .getPreferredDuringSchedulingIgnoredDuringExecution()
                .getFirst()
                .getPodAffinityTerm()
                .getTopologyKey())
        .isEqualTo("kubernetes.io/hostname");
    assertThat(pod.getTopologySpreadConstraints().getFirst().getTopologyKey())
        .isEqualTo("topology.kubernetes.io/zone");
    // Not "one must stay", which would keep a node with the only replica from being drained for
    // ever.
    assertThat(standard.only(PodDisruptionBudget.class).getSpec().getMaxUnavailable().getIntVal())
        .isEqualTo(1);
  }

  @Test
  void isAskedForItsHealthWhereTheFrameworkTellsIt() {
    assertThat(
            Stream.of(
                container.getStartupProbe(),
                container.getLivenessProbe(),
                container.getReadinessProbe()))
        .extracting(probe -> probe.getHttpGet().getPath())
        .containsExactly("/q/health/started", "/q/health/live", "/q/health/ready");
  }

  @Test
  void isToldThePodsNameWhichIsNotTheHostsInTheHostsNetwork() {
    assertThat(container.getEnv())
        .filteredOn(variable -> variable.getName().equals("POD_NAME"))
        .singleElement()
        .extracting(variable -> variable.getValueFrom().getFieldRef().getFieldPath())
        .isEqualTo("metadata.name");
  }

  @Test
  void answersUntilNobodyAsksAnyMore() {
    long sleeps = container.getLifecycle().getPreStop().getSleep().getSeconds();

    assertThat(sleeps).isEqualTo(5);
    assertThat(pod.getTerminationGracePeriodSeconds()).isGreaterThan(sleeps + 20);
  }

  @Test
  void writesWhereTheImageExpectsItAndNowhereElse() {
    assertThat(container.getVolumeMounts())
        .filteredOn(mount -> mount.getReadOnly() == null)
        .extracting(VolumeMount::getMountPath)
        .containsExactly("/var/lib/cotenant", "/tmp");
    assertThat(image).contains("COTENANT_DATA_DIRECTORY=/var/lib/cotenant");
  }

  @Test
  void findsItsConfigurationBesideItsWorkingDirectory() {
    assertThat(image).contains("WORKDIR /opt/cotenant\n");
    assertThat(container.getVolumeMounts())
        .extracting(VolumeMount::getMountPath)
        .contains("/opt/cotenant/config");
  }

  @Test
  void runsAsTheUserOfTheImage() {
    assertThat(pod.getSecurityContext().getRunAsUser()).isEqualTo(10001);
    assertThat(image).contains("USER 10001:10001\n").contains("useradd --uid 10001 ");
  }

  @Test
  void uninstallsWithTheCommandLineOfTheImage() {
    Container ungate =
        standard.only(Job.class).getSpec().getTemplate().getSpec().getContainers().getFirst();

    assertThat(ungate.getImage()).isEqualTo(container.getImage());
    assertThat(ungate.getArgs())
        .contains("/opt/cotenant/cli/cotenant-cli.jar:/opt/cotenant/cli/lib/*");
    assertThat(image)
        .contains("COPY cli/target/cotenant-cli.jar cli/\n", "COPY cli/target/lib/ cli/lib/\n");
  }

  @Test
  void shipsNothingUnderAnotherLicence() {
    assertThat(Chart.read(".dockerignore"))
        .contains("\ncli/target/lib/com.github.haifengl.*.jar\n");
  }

  @Test
  void theImageNeedsNoShellToRun() {
    assertThat(image.lines().filter(line -> line.startsWith("ENTRYPOINT")))
        .containsExactly(
            "ENTRYPOINT [\"java\", \"-XX:+ExitOnOutOfMemoryError\","
                + " \"--enable-native-access=ALL-UNNAMED\","
                + " \"--sun-misc-unsafe-memory-access=allow\", \"-jar\","
                + " \"service/quarkus-run.jar\"]");
    assertThat(imageWithoutDistribution)
        .containsPattern(
            "setEntrypoint\\(\\s*HOME \\+"
                + " \"/runtime/bin/java\",\\s*\"-XX:\\+ExitOnOutOfMemoryError\",");
  }

  /** Options in the environment come before those of the entry point, of which the last wins. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "javaOptions: ''",
        "javaOptions: -XX:MaxRAMPercentage=50 -XX:-ExitOnOutOfMemoryError"
      })
  void endsWhenItsMemoryIsExhaustedWhateverItsOptions(String values) {
    assertThat(serviceOf(Chart.render(values)).getCommand())
        .as("the image's entry point, which has -XX:+ExitOnOutOfMemoryError")
        .isEmpty();
    assertThat(serviceOf(Chart.render(values)).getArgs()).isEmpty();
  }

  private static Container serviceOf(Manifests manifests) {
    return manifests
        .only(Deployment.class)
        .getSpec()
        .getTemplate()
        .getSpec()
        .getContainers()
        .getFirst();
  }

  /** A loop is healed, or ends the process, within 30 s; a process that cannot end is killed. */
  @Test
  void isKilledSoonAfterItSaysThatALoopIsDown() {
    Probe liveness = container.getLivenessProbe();

    assertThat(liveness.getPeriodSeconds() * liveness.getFailureThreshold()).isEqualTo(30);
    assertThat(liveness.getTimeoutSeconds()).isLessThan(liveness.getPeriodSeconds());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                                     | ghcr.io/cotenant/cotenant:0.1.0-SNAPSHOT
          image: {tag: "1.2"}                                    | ghcr.io/cotenant/cotenant:1.2
          image: {registry: "", repository: localhost/cotenant}  | localhost/cotenant:0.1.0-SNAPSHOT
          image: {digest: "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", tag: x} | ghcr.io/cotenant/cotenant@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
          """)
  void namesItsImage(String values, String expected) {
    assertThat(
            Chart.render(values)
                .only(Deployment.class)
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst()
                .getImage())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          prometheus: {url: "http://prometheus:9090"}                     | 9090
          prometheus: {url: "http://prometheus/api"}                      | 80
          prometheus: {url: "https://mimir.example.com/prometheus"}       | 443
          prometheus: {url: "https://user@mimir:8443"}                    | 8443
          database: {url: "jdbc:postgresql://db/cotenant"}                | 5432
          database: {url: "jdbc:postgresql://db:6432/cotenant?ssl=true"}  | 6432
          """)
  void mayReachWhatItIsConfiguredToReach(String values, int port) {
    NetworkPolicy policy =
        Chart.render("networkPolicy: {enabled: true}\n" + values).only(NetworkPolicy.class);

    assertThat(ports(policy)).contains(53, 443, 6443, port);
  }

  private static List<Integer> ports(NetworkPolicy policy) {
    return policy.getSpec().getEgress().stream()
        .flatMap(rule -> rule.getPorts().stream())
        .map(NetworkPolicyPort::getPort)
        .map(port -> port.getIntVal())
        .toList();
  }

  @Test
  void letsEverybodyAskItsWebhooksAndFewReadItsMetrics() {
    NetworkPolicy policy = Chart.render("networkPolicy: {enabled: true}").only(NetworkPolicy.class);

    var https = policy.getSpec().getIngress().getFirst();
    var http = policy.getSpec().getIngress().getLast();
    assertThat(https.getFrom()).isEmpty();
    assertThat(https.getPorts())
        .extracting(port -> port.getPort().getStrVal())
        .containsExactly("https");
    assertThat(http.getFrom()).hasSize(2);
    assertThat(http.getPorts())
        .extracting(port -> port.getPort().getStrVal())
        .containsExactly("http");
  }

  @Test
  void letsApiServersAndNamedCallersInWhereTheirAddressesAreKnown() {
    NetworkPolicy policy =
        Chart.render(
                """
                networkPolicy:
                  enabled: true
                  apiServerFrom: [{ipBlock: {cidr: 10.0.0.1/32}}, {ipBlock: {cidr: 10.0.0.2/32}}]
                  callersFrom: [{podSelector: {matchLabels: {component: kube-scheduler}}}]
                """)
            .only(NetworkPolicy.class);

    var https = policy.getSpec().getIngress().getFirst();
    assertThat(https.getPorts())
        .extracting(port -> port.getPort().getStrVal())
        .containsExactly("https");
    assertThat(https.getFrom()).hasSize(4);
    assertThat(https.getFrom())
        .filteredOn(peer -> peer.getIpBlock() != null)
        .extracting(peer -> peer.getIpBlock().getCidr())
        .containsExactly("10.0.0.1/32", "10.0.0.2/32");
    assertThat(https.getFrom())
        .filteredOn(peer -> peer.getPodSelector() != null)
        .extracting(peer -> peer.getPodSelector().getMatchLabels().keySet())
        .containsExactly(
            Set.of("component"), Set.of("app.kubernetes.io/name", "app.kubernetes.io/instance"));
    assertThat(policy.getSpec().getIngress()).hasSize(2);
  }

  @Test
  void trustsNoLoopbackInAContainer() {
    assertThat(image).contains("COTENANT_REST_TRUST_LOOPBACK=false");
    assertThat(imageWithoutDistribution).contains("\"COTENANT_REST_TRUST_LOOPBACK\", \"false\",");
  }

  @ParameterizedTest
  @ValueSource(strings = {"configMap", "secret"})
  void mountsTheSignersOfApiServersWithoutASubPathSoThatTheyAreRenewed(String kind) {
    Manifests objects = Chart.render("webhook: {clientCa: {" + kind + ": signers, key: ca.pem}}");
    PodSpec mounting = objects.only(Deployment.class).getSpec().getTemplate().getSpec();

    assertThat(mounting.getContainers().getFirst().getVolumeMounts())
        .filteredOn(mount -> mount.getName().equals("client-ca"))
        .singleElement()
        .satisfies(mount -> {
          assertThat(mount.getMountPath()).isEqualTo("/etc/cotenant/client-ca");
          assertThat(mount.getSubPath()).isNull();
        });
    assertThat(objects.only(Deployment.class).toString()).contains("ca.pem", "signers");
    // helm test has no certificate to send a review with.
    assertThat(objects.named(Pod.class, "cotenant-test").getSpec().getContainers())
        .extracting(Container::getName)
        .containsExactly("ready");
  }

  @Test
  void saysAfterwardsWhatComesNext() {
    assertThat(Chart.notes("policy: {mode: shadow}"))
        .contains(
            "mode shadow",
            "kubectl label namespace NAMESPACE cotenant.dev/colocation=enabled",
            "helm test cotenant -n cotenant-system",
            "http://prometheus-operated.monitoring.svc:9090",
            "database.url is empty",
            "A prediction is not isolation");
    assertThat(Chart.notes("webhook: {failurePolicy: Fail}"))
        .contains("no pod of opted-in namespaces can be created while no replica answers");
  }
}
