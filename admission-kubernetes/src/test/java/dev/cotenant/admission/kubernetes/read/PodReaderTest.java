package dev.cotenant.admission.kubernetes.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.NodeRequirements.Expression;
import dev.cotenant.admission.cluster.NodeRequirements.Operator;
import dev.cotenant.admission.cluster.NodeRequirements.Term;
import dev.cotenant.admission.cluster.NodeRequirements.Toleration;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.cluster.WatchedPod.Phase;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.domain.InputException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodReaderTest {
  private static final String POD =
      """
      {"metadata": {"name": "infer-1", "namespace": "team-a", "uid": "u-1", "resourceVersion": "7",
        "creationTimestamp": "2026-11-21T10:00:00Z", "deletionTimestamp": "2026-11-21T11:00:00Z",
        "annotations": {"cotenant.dev/admission-id": "t", "hami.io/vgpu-devices-allocated": "GPU-1,NVIDIA,1,1:;",
                        "other/annotation": "x"},
        "ownerReferences": [{"kind": "Nothing", "name": "n"},
                            {"kind": "ReplicaSet", "name": "infer", "controller": true}]},
       "spec": {"priority": 100, "nodeName": "n1", "nodeSelector": {"disk": "ssd"},
        "schedulingGates": [{"name": "other"}, {"name": "cotenant.dev/colocation"}],
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
                        {"key": "team", "value": "a"}],
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
          {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}],
                                  "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n9"]}]}]}}},
        "containers": [{"name": "side"}, {"name": "main", "resources": {"limits": {"nvidia.com/gpu": 1}}}]},
       "status": {"phase": "Running", "containerStatuses": [
         {"name": "side", "state": {"running": {"startedAt": "2026-11-21T10:01:00Z"}}},
         {"name": "main", "state": {"running": {"startedAt": "2026-11-21T10:02:00Z"}},
          "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}}]}}
      """;

  private final PodReader reader = new PodReader();

  @ParameterizedTest
  @CsvSource({
    "cotenant-scheduler, cotenant-scheduler",
    "'', default-scheduler",
    ", default-scheduler",
  })
  void readsTheSchedulerOfAPod(@Nullable String name, String expected) {
    ObjectNode pod = Manifests.json(POD);
    pod.withObject("/spec").put("schedulerName", name);

    assertThat(reader.read(pod).orElseThrow().scheduling().schedulerName()).isEqualTo(expected);
    pod.withObject("/spec").remove("schedulerName");
    assertThat(reader.read(pod).orElseThrow().scheduling().schedulerName())
        .isEqualTo("default-scheduler");
  }

  @Test
  void readsWhatMatters() {
    WatchedPod pod = reader.read(Manifests.json(POD)).orElseThrow();

    assertThat(pod.uid()).isEqualTo("u-1");
    assertThat(pod.resourceVersion()).isEqualTo("7");
    assertThat(pod.pod()).hasToString("team-a/infer-1");
    assertThat(pod.request()).isInstanceOf(PodRequest.Colocatable.class);
    assertThat(pod.annotations())
        .containsOnlyKeys("cotenant.dev/admission-id", "hami.io/vgpu-devices-allocated");
    assertThat(pod.scheduling().gates()).containsExactly("other", "cotenant.dev/colocation");
    assertThat(pod.scheduling().node()).isEqualTo("n1");
    assertThat(pod.scheduling().priority()).isEqualTo(100);
    assertThat(pod.scheduling().hasNodeSelector()).isTrue();
    assertThat(pod.hasAnnotations()).isTrue();
    assertThat(pod.scheduling().requirements())
        .isEqualTo(
            new NodeRequirements(
                Map.of("disk", "ssd"),
                List.of(
                    new Term(
                        List.of(new Expression("zone", Operator.IN, Set.of("a", "b"))),
                        List.of(new Expression("metadata.name", Operator.NOT_IN, Set.of("n9"))))),
                List.of(
                    new Toleration("nvidia.com/gpu", true, "", "NoSchedule"),
                    new Toleration("team", false, "a", ""))));
  }

  @Test
  void aPodThatWasAssignedAGpuMattersWhateverElseItsUserTookAway() {
    ObjectNode pod = Manifests.json(POD);
    pod.withObject("/spec").remove("schedulingGates");
    pod.withObject("/spec").withArray("containers").remove(1);
    assertThat(reader.read(pod)).isEmpty();

    pod.withObject("/metadata/annotations").put("cotenant.dev/assigned-gpu", "GPU-1");
    WatchedPod read = reader.read(pod).orElseThrow();

    assertThat(read.request()).isInstanceOf(PodRequest.NoGpu.class);
    assertThat(read.annotations()).containsEntry("cotenant.dev/assigned-gpu", "GPU-1");
    assertThat(read.isLive()).isTrue();
  }

  @Test
  void readsHowFarItHasCome() {
    WatchedPod.Life life = reader.read(Manifests.json(POD)).orElseThrow().life();

    assertThat(life.createdAt()).isEqualTo(Instant.parse("2026-11-21T10:00:00Z"));
    assertThat(life.startedAt())
        .as("of the container with the GPU")
        .isEqualTo(Instant.parse("2026-11-21T10:02:00Z"));
    assertThat(life.phase()).isEqualTo(Phase.RUNNING);
    assertThat(life.terminating()).isTrue();
    assertThat(life.outOfMemory()).isTrue();
    assertThat(life.owner()).isEqualTo("ReplicaSet/infer");
  }

  @Test
  void readsTheResultOfTheScheduler() {
    ObjectNode pod = stored(Manifests.gpuPod("p"));
    ObjectNode condition = pod.withObject("/status").putArray("conditions").addObject();
    condition
        .put("type", "PodScheduled")
        .put("status", "False")
        .put("reason", "Unschedulable")
        .put("message", "0/3 nodes are available" + "!".repeat(5_000))
        .put("lastTransitionTime", "2026-11-21T10:05:00Z");

    WatchedPod.Unschedulable result =
        Objects.requireNonNull(reader.read(pod).orElseThrow().life().unschedulable());
    assertThat(result.since()).isEqualTo(Instant.parse("2026-11-21T10:05:00Z"));
    assertThat(result.message()).startsWith("0/3 nodes are available").hasSize(1_024);
    assertThat(result.preemptsOn()).isNull();

    pod.withObject("/status").put("nominatedNodeName", "n2");
    assertThat(reader.read(pod).orElseThrow().life().unschedulable())
        .isEqualTo(new WatchedPod.Unschedulable(result.since(), result.message(), "n2"));

    condition.put("reason", "SchedulingGated");
    assertThat(reader.read(pod).orElseThrow().life().unschedulable()).isNull();
    condition.put("reason", "Unschedulable").put("status", 7);
    assertThat(reader.read(pod).orElseThrow().life().unschedulable()).isNull();
  }

  @Test
  void podsWithoutGpuDoNotMatterUnlessOurGateHoldsThem() {
    assertThat(reader.read(stored(Manifests.plainPod("web")))).isEmpty();

    ObjectNode held = stored(Manifests.plainPod("web"));
    held.withObject("/spec").putArray("schedulingGates").addObject().put("name", Manifests.GATE);
    assertThat(reader.read(held)).isPresent();
  }

  @Test
  void podsThatOptedOutMatterAsTheyUseGpus() {
    ObjectNode pod = stored(Manifests.gpuPod("own"));
    pod.withObject("/metadata").putObject("labels").put("cotenant.dev/colocation", "disabled");

    assertThat(reader.read(pod).orElseThrow().request()).isInstanceOf(PodRequest.OptedOut.class);
  }

  @ParameterizedTest
  @CsvSource({
    "Pending, PENDING",
    "Running, RUNNING",
    "Succeeded, SUCCEEDED",
    "Failed, FAILED",
    "Unknown, RUNNING",
    "Whatever, RUNNING"
  })
  void aPhaseThatIsNotKnownMayStillUseTheGpu(String written, Phase read) {
    ObjectNode pod = stored(Manifests.gpuPod("p"));
    pod.withObject("/status").put("phase", written);

    assertThat(reader.read(pod).orElseThrow().life().phase()).isEqualTo(read);
  }

  @Test
  void anAnnotationOfAMegabyteIsNotKept() {
    ObjectNode pod = stored(Manifests.gpuPod("p"));
    pod.withObject("/metadata/annotations").put("cotenant.dev/reason", "x".repeat(1 << 20));

    assertThat(reader.read(pod).orElseThrow().annotations())
        .containsOnlyKeys("cotenant.dev/admission-id");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "{\"metadata\": 5}",
        "{\"metadata\": {\"name\": \"p\"}}",
        "{\"metadata\": {\"name\": 7, \"namespace\": \"n\", \"uid\": \"u\"}}",
        "{\"metadata\": {\"name\": \"p\", \"namespace\": \"n\"}, \"spec\": \"text\"}"
      })
  void whatIsNoPodIsSaidToBeNone(String text) {
    assertThatThrownBy(() -> reader.read(Json.parse(text))).isInstanceOf(InputException.class);
  }

  @Test
  void anOperatorThatIsNotKnownIsNotGuessed() {
    String odd = POD.replace("\"NotIn\"", "\"Almost\"");

    assertThatThrownBy(() -> reader.read(Manifests.json(odd)))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("operator");
  }

  private static ObjectNode stored(ObjectNode pod) {
    pod.withObject("/metadata")
        .put("namespace", "team-a")
        .put("uid", "u")
        .put("resourceVersion", "1")
        .put("creationTimestamp", "2026-11-21T10:00:00Z");
    return pod;
  }
}
