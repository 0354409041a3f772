package dev.cotenant.admission.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.assignment.GpuAssignment;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.review.JsonPatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The patches of the gate controller. Each begins with a test of the resource version, so that it
 * changes only the state it was based on.
 */
public final class PodPatches {
  private static final Set<String> OUTDATED =
      Set.of(
          CotenantAnnotations.PREDICTED_UTILIZATION,
          CotenantAnnotations.PREDICTED_UTILIZATION_MEAN,
          CotenantAnnotations.PREDICTED_MEMORY,
          CotenantAnnotations.MEASURED_RATE,
          CotenantAnnotations.ASSIGNED_NODE,
          CotenantAnnotations.ASSIGNED_GPU,
          CotenantAnnotations.GRANTED_AT,
          CotenantAnnotations.PROFILE_TIME,
          CotenantAnnotations.PROFILED,
          CotenantAnnotations.REASON_CODES,
          CotenantAnnotations.UNSCHEDULABLE);

  private final WatchedPod pod;
  private final List<JsonPatch.Operation> operations = new ArrayList<>();

  private PodPatches(WatchedPod pod) {
    this.pod = pod;
    operations.add(
        new JsonPatch.Test(
            JsonPatch.pointer("metadata", "resourceVersion"), text(pod.resourceVersion())));
  }

  /**
   * Writes a grant, selects the node, and removes our gate.
   *
   * @param node its host name label is the selector's value
   */
  public static JsonPatch grant(
      WatchedPod pod, PodGrant grant, WatchedNode node, GpuAssignment gpuAssignment) {
    PodPatches patches = new PodPatches(pod);
    patches.annotate(binding(pod, grant, gpuAssignment));
    patches.select(node);
    patches.removeGate();
    return new JsonPatch(patches.operations);
  }

  /**
   * Removes our gate, so that the pod's scheduler chooses the node.
   *
   * @param reason the evidence that capacity exists
   */
  public static JsonPatch release(WatchedPod pod, String reason) {
    PodPatches patches = new PodPatches(pod);
    patches.annotate(
        Map.of(
            CotenantAnnotations.DECISION,
            GrantAnnotations.NOMINATED,
            CotenantAnnotations.REASON,
            reason));
    if (pod.hasOurGate()) {
      patches.removeGate();
    }
    return new JsonPatch(patches.operations);
  }

  /** The annotations of a binding. */
  public static Map<String, String> binding(
      WatchedPod pod, PodGrant grant, GpuAssignment gpuAssignment) {
    Map<String, String> annotations = annotations(grant);
    if (pod.request() instanceof Colocatable request) {
      annotations.putAll(gpuAssignment.annotations(request, grant.admitted()));
    }
    return annotations;
  }

  static Map<String, String> annotations(PodGrant grant) {
    Map<String, String> annotations = new LinkedHashMap<>(GrantAnnotations.of(grant.admitted()));
    annotations.put(CotenantAnnotations.GRANTED_AT, grant.grantedAt().toString());
    if (grant.profileTime().isPositive()) {
      annotations.put(CotenantAnnotations.PROFILE_TIME, grant.profileTime().toSeconds() + "s");
    }
    annotations.put(
        CotenantAnnotations.DECISION,
        switch (grant.extent()) {
          case SHARE -> GrantAnnotations.ADMITTED;
          case WHOLE -> GrantAnnotations.EXCLUSIVE;
        });
    return annotations;
  }

  /** Ungates a pod without a grant. */
  public static JsonPatch ungate(WatchedPod pod, String reason) {
    PodPatches patches = new PodPatches(pod);
    patches.annotate(
        Map.of(
            CotenantAnnotations.DECISION,
            GrantAnnotations.UNMANAGED,
            CotenantAnnotations.REASON,
            reason));
    if (pod.hasOurGate()) {
      patches.removeGate();
    }
    return new JsonPatch(patches.operations);
  }

  /** Changes the resource version of a pod, and nothing else of effect. */
  public static JsonPatch fence(WatchedPod pod, long term) {
    PodPatches patches = new PodPatches(pod);
    patches.add(Map.of(CotenantAnnotations.TERM, term + "@" + pod.resourceVersion()));
    return new JsonPatch(patches.operations);
  }

  /** Writes annotations. */
  public static JsonPatch report(WatchedPod pod, Map<String, String> annotations) {
    PodPatches patches = new PodPatches(pod);
    patches.add(new TreeMap<>(annotations));
    return new JsonPatch(patches.operations);
  }

  /** Adds annotations and removes those of an earlier grant or a copy. */
  private void annotate(Map<String, String> annotations) {
    add(annotations);
    Set<String> leftovers = new TreeSet<>(OUTDATED);
    leftovers.addAll(GpuAssignment.WRITTEN);
    leftovers.retainAll(pod.annotations().keySet());
    leftovers.removeAll(annotations.keySet());
    leftovers.remove(CotenantAnnotations.MPS_ACTIVE_THREAD_PERCENTAGE); // containers read it
    leftovers.removeIf(name -> !name.startsWith(CotenantAnnotations.PREFIX)); // perhaps the user's
    leftovers.forEach(name ->
        operations.add(new JsonPatch.Remove(JsonPatch.pointer("metadata", "annotations", name))));
  }

  private void add(Map<String, String> annotations) {
    if (pod.hasAnnotations()) {
      annotations.forEach((name, value) ->
          operations.add(
              new JsonPatch.Add(JsonPatch.pointer("metadata", "annotations", name), text(value))));
    } else {
      ObjectNode all = JsonNodeFactory.instance.objectNode();
      annotations.forEach(all::put);
      operations.add(new JsonPatch.Add(JsonPatch.pointer("metadata", "annotations"), all));
    }
  }

  /** Keys may be added to the node selector of a gated pod, but none may change. */
  private void select(WatchedNode node) {
    String host = node.labels().getOrDefault(WatchedNode.HOSTNAME_LABEL, node.name());
    if (pod.scheduling().requirements().labels().containsKey(WatchedNode.HOSTNAME_LABEL)) {
      return; // it selects this node, since it was granted capacity here
    }
    operations.add(
        pod.scheduling().hasNodeSelector()
            ? new JsonPatch.Add(
                JsonPatch.pointer("spec", "nodeSelector", WatchedNode.HOSTNAME_LABEL), text(host))
            : new JsonPatch.Add(
                JsonPatch.pointer("spec", "nodeSelector"),
                JsonNodeFactory.instance.objectNode().put(WatchedNode.HOSTNAME_LABEL, host)));
  }

  private void removeGate() {
    String index = Integer.toString(pod.scheduling().gates().indexOf(WatchedPod.GATE));
    operations.add(
        new JsonPatch.Test(
            JsonPatch.pointer("spec", "schedulingGates", index, "name"), text(WatchedPod.GATE)));
    operations.add(new JsonPatch.Remove(JsonPatch.pointer("spec", "schedulingGates", index)));
  }

  private static JsonNode text(String value) {
    return JsonNodeFactory.instance.textNode(value);
  }
}
