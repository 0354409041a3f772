package dev.cotenant.admission.kubernetes.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.cluster.ClusterPod;
import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.Footprint.HostPort;
import dev.cotenant.admission.cluster.LabelSelector;
import dev.cotenant.admission.cluster.NodeRequirements.Expression;
import dev.cotenant.admission.cluster.NodeRequirements.Operator;
import dev.cotenant.admission.cluster.PlainPod;
import dev.cotenant.admission.cluster.PodTopology.PodSelector;
import dev.cotenant.admission.cluster.PodTopology.SpreadConstraint;
import dev.cotenant.admission.cluster.PodTopology.Term;
import dev.cotenant.admission.cluster.ResourceAmounts;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FootprintReaderTest {
  private final FootprintReader reader = new FootprintReader();

  private Footprint read(String spec) {
    return reader.read(
        Manifests.json(
            """
            {"metadata": {"name": "p", "namespace": "team", "labels": {"app": "infer", "v": "1"}},
             "spec": %s}
            """
                .formatted(spec)));
  }

  private ResourceAmounts requests(String spec) {
    return read(spec).requests();
  }

  @Test
  void containersAddUpAndALimitIsARequestWithoutOne() {
    assertThat(
            requests(
                """
                {"containers": [
                  {"resources": {"requests": {"cpu": "500m", "memory": "1Gi"},
                                 "limits": {"cpu": "2", "nvidia.com/gpu": 1}}},
                  {"resources": {"requests": {"cpu": "1.0001"}}}]}
                """))
        .isEqualTo(
            ResourceAmounts.of(
                Map.of("cpu", 1_501L, "memory", MemorySize.GIB, "nvidia.com/gpu", 1L)));
  }

  @Test
  void anInitContainerCountsWhereItNeedsMoreBesideTheSidecarsBeforeIt() {
    assertThat(
            requests(
                """
                {"containers": [{"resources": {"requests": {"cpu": "1"}}}],
                 "initContainers": [
                  {"resources": {"requests": {"cpu": "3"}}},
                  {"restartPolicy": "Always", "resources": {"requests": {"cpu": "2"}}},
                  {"resources": {"requests": {"cpu": "4"}}}]}
                """))
        .as("2 of the sidecar and 4 of the init container after it, more than 1 + 2")
        .isEqualTo(ResourceAmounts.of(Map.of("cpu", 6_000L)));
  }

  @Test
  void sidecarsRunBesideContainers() {
    assertThat(
            requests(
                """
                {"containers": [{"resources": {"requests": {"cpu": "5"}}}],
                 "initContainers": [
                  {"restartPolicy": "Always", "resources": {"requests": {"cpu": "2"}}}]}
                """))
        .isEqualTo(ResourceAmounts.of(Map.of("cpu", 7_000L)));
  }

  @Test
  void podLevelRequestsReplaceTheSumAndOverheadComesOnTop() {
    assertThat(
            requests(
                """
                {"containers": [{"resources": {"requests": {"cpu": "5", "example.com/x": "1"}}}],
                 "resources": {"requests": {"cpu": "2"}}, "overhead": {"cpu": "100m"}}
                """))
        .isEqualTo(ResourceAmounts.of(Map.of("cpu", 2_100L, "example.com/x", 1L)));
  }

  @ParameterizedTest
  @CsvSource({"-1", "none", "true", "''", "1e999999"})
  void anUnreadableAmountIsLeftOut(String amount) {
    assertThat(
            requests(
                "{\"containers\": [{\"resources\": {\"requests\": {\"cpu\": \"%s\", \"memory\": \"1Gi\"}}}]}"
                    .formatted(amount)))
        .isEqualTo(ResourceAmounts.of(Map.of("memory", MemorySize.GIB)));
  }

  @Test
  void anAmountThatNoClusterHasIsCutOff() {
    assertThat(
            requests(
                "{\"containers\": [{\"resources\": {\"requests\": {\"memory\": \"9e300\"}}}]}"))
        .isEqualTo(ResourceAmounts.of(Map.of("memory", 1L << 50)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"7", "\"text\"", "[]", "{\"requests\": [1]}", "{\"requests\": {\"cpu\": {}}}"})
  void resourcesOfAnotherTypeAreNone(String resources) {
    assertThat(requests("{\"containers\": [{\"resources\": %s}]}".formatted(resources)).isEmpty())
        .isTrue();
  }

  @Test
  void readsHostPortsOfContainersAndSidecars() {
    assertThat(
            read("""
            {"containers": [{"ports": [{"containerPort": 80, "hostPort": 8080, "hostIP": "10.0.0.1"},
                                       {"containerPort": 81}, {"hostPort": 99999}]}],
             "initContainers": [
               {"restartPolicy": "Always", "ports": [{"hostPort": 53, "protocol": "UDP"}]},
               {"ports": [{"hostPort": 7}]}]}
            """)
                .ports())
        .containsExactly(new HostPort("10.0.0.1", "TCP", 8080), new HostPort("0.0.0.0", "UDP", 53));
  }

  @Test
  void readsRequiredTermsAndLeavesOutTheOthers() {
    Footprint footprint =
        read(
            """
            {"affinity": {
              "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "db"}}},
                {"topologyKey": "zone", "labelSelector": {}, "namespaceSelector": {}}]},
              "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                  {"topologyKey": "host", "namespaces": ["a", "b"], "labelSelector": {
                    "matchExpressions": [{"key": "app", "operator": "Exists"}]}}],
                "preferredDuringSchedulingIgnoredDuringExecution": [
                  {"weight": 1, "podAffinityTerm": {"topologyKey": "host", "labelSelector": {}}}]}}}
            """);

    assertThat(footprint.topology().affinity())
        .containsExactly(
            new Term(
                new PodSelector(
                    Set.of("team"),
                    new LabelSelector(List.of(new Expression("app", Operator.IN, Set.of("db"))))),
                "zone"));
    assertThat(footprint.topology().antiAffinity())
        .containsExactly(
            new Term(
                new PodSelector(
                    Set.of("a", "b"),
                    new LabelSelector(List.of(new Expression("app", Operator.EXISTS, Set.of())))),
                "host"));
  }

  @Test
  void readsSpreadConstraintsThatTheSchedulerEnforces() {
    assertThat(
            read("""
            {"topologySpreadConstraints": [
              {"topologyKey": "zone", "maxSkew": 2, "minDomains": 3, "matchLabelKeys": ["v", "absent"],
               "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "infer"}}},
              {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {}},
              {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {},
               "nodeTaintsPolicy": "Honor"}]}
            """)
                .topology()
                .spread())
        .containsExactly(
            new SpreadConstraint(
                new PodSelector(
                    Set.of("team"),
                    new LabelSelector(
                        List.of(
                            new Expression("app", Operator.IN, Set.of("infer")),
                            new Expression("v", Operator.IN, Set.of("1"))))),
                "zone",
                2,
                3));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"topologySpreadConstraints\": [{\"maxSkew\": 0, \"topologyKey\": \"z\","
            + " \"labelSelector\": {}}]}",
        "{\"topologySpreadConstraints\": [{\"maxSkew\": 1, \"labelSelector\": {}}]}",
        "{\"affinity\": {\"podAffinity\": {\"requiredDuringSchedulingIgnoredDuringExecution\":"
            + " [{\"labelSelector\": {}}]}}}",
        "{\"affinity\": {\"podAffinity\": {\"requiredDuringSchedulingIgnoredDuringExecution\": "
            + "[{\"topologyKey\": \"z\", \"labelSelector\": {}, \"namespaces\": [7]}]}}}"
      })
  void aMalformedConstraintIsAnError(String spec) {
    assertThatThrownBy(() -> read(spec)).isInstanceOf(InputException.class);
  }

  @Test
  void readsClaimsOfVolumes() {
    assertThat(
            read("""
            {"volumes": [{"persistentVolumeClaim": {"claimName": "data"}}, {"emptyDir": {}},
                         {"persistentVolumeClaim": {"claimName": 7}}]}
            """)
                .volumeClaims())
        .containsExactly("data");
  }

  @Test
  void replicasShareTheirLabelsAndRequests() {
    String spec = "{\"containers\": [{\"resources\": {\"requests\": {\"cpu\": \"1\"}}}]}";
    Footprint one = read(spec);
    Footprint other = read(spec);

    assertThat(one.labels()).isSameAs(other.labels());
    assertThat(one.requests()).isSameAs(other.requests());
  }

  @Test
  void aBoundPodWithoutGpuIsPlainAndOneWithoutNodeOrFinishedIsNothing() {
    String pod =
        """
        {"metadata": {"name": "web", "namespace": "team", "uid": "u", "resourceVersion": "1"},
         "spec": {"nodeName": "n1", "containers": []}, "status": {"phase": "Running"}}
        """;
    PodReader pods = new PodReader();
    ClusterPod read = pods.any(Manifests.json(pod)).orElseThrow();

    assertThat(read).isEqualTo(new PlainPod("u", "team", "n1", Footprint.NONE));
    assertThat(pods.any(Manifests.json(pod.replace("nodeName", "other")))).isEmpty();
    assertThat(pods.any(Manifests.json(pod.replace("Running", "Succeeded")))).isEmpty();
  }
}
