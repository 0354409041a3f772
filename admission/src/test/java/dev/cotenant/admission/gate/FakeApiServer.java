package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ClusterWriter.Binding;
import dev.cotenant.admission.cluster.ClusterWriter.EvictionResult;
import dev.cotenant.admission.cluster.ClusterWriter.PodLookupResult;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.review.JsonPatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Keeps pods as the API server does: a version for every change, patches that test and change in
 * one step, gates that can only be removed, node selectors that can only be added to.
 */
final class FakeApiServer {
  final Map<String, StoredPod> pods = new TreeMap<>();

  /** Who is told of every change. */
  final List<Consumer<WatchedPod>> changes = new ArrayList<>();

  final List<Consumer<String>> removals = new ArrayList<>();

  /**
   * Is told of pods that were ungated or bound, before and after which everything else is as it is.
   */
  Consumer<StoredPod> ungate = _ -> {};

  /** Pods that a PodDisruptionBudget protects while they have a node. */
  Predicate<StoredPod> budgets = _ -> false;

  /** Whether patches of a pod are refused. */
  Predicate<StoredPod> refusing = _ -> false;

  /** Receives pods that are evicted, before they are. */
  Consumer<StoredPod> evicted = _ -> {};

  /** Receives pods whose eviction is sent, when it is sent. */
  Consumer<StoredPod> evicting = _ -> {};

  private long version;

  void create(StoredPod pod) {
    pods.put(pod.uid, pod);
    changed(pod);
  }

  void changed(StoredPod pod) {
    pod.version = ++version;
    WatchedPod state = pod.watched();
    changes.forEach(watcher -> watcher.accept(state));
  }

  void remove(StoredPod pod) {
    pods.remove(pod.uid);
    removals.forEach(watcher -> watcher.accept(pod.uid));
  }

  List<WatchedPod> list() {
    return pods.values().stream().map(StoredPod::watched).toList();
  }

  /** How a pod is at this moment. */
  PodLookupResult look(String uid) {
    StoredPod pod = pods.get(uid);
    return pod == null ? new PodLookupResult.Gone() : new PodLookupResult.There(pod.watched());
  }

  /** Applies a patch or changes nothing. */
  WriteResult patch(String uid, JsonPatch patch) {
    StoredPod pod = pods.get(uid);
    if (pod == null) {
      return new WriteResult.Gone();
    }
    if (refusing.test(pod)) {
      return new WriteResult.Refused("a webhook denied it");
    }
    boolean gated = pod.gates.contains(WatchedPod.GATE);
    for (JsonPatch.Operation operation : patch.operations()) {
      if (operation instanceof JsonPatch.Test test && !holds(pod, test)) {
        return new WriteResult.Conflict();
      }
    }
    patch.operations().forEach(operation -> apply(pod, operation));
    changed(pod);
    if (gated && !pod.gates.contains(WatchedPod.GATE)) {
      ungate.accept(pod);
    }
    return new WriteResult.Done();
  }

  /** An eviction is sent. */
  void sendsEviction(String uid) {
    StoredPod pod = pods.get(uid);
    if (pod != null) {
      evicting.accept(pod);
    }
  }

  /** Evicts a pod: on a node it terminates, else it is gone. */
  EvictionResult evict(String uid) {
    StoredPod pod = pods.get(uid);
    if (pod == null) {
      return new EvictionResult.Gone();
    }
    if (pod.node != null && budgets.test(pod)) {
      return new EvictionResult.Blocked("it would violate the pod's disruption budget");
    }
    evicted.accept(pod);
    if (pod.node == null) {
      remove(pod);
    } else if (!pod.terminating) {
      pod.terminating = true;
      changed(pod);
    }
    return new EvictionResult.Evicted();
  }

  /** Binds a pod or changes nothing. */
  WriteResult bind(Binding binding) {
    StoredPod pod = pods.get(binding.uid());
    if (pod == null) {
      return new WriteResult.Gone();
    }
    String version = binding.resourceVersion();
    if ((version != null && !version.equals(Long.toString(pod.version)))
        || pod.node != null
        || pod.terminating) {
      return new WriteResult.Conflict();
    }
    if (!pod.gates.isEmpty()) {
      return new WriteResult.Refused("the pod has scheduling gates");
    }
    pod.node = binding.node();
    pod.annotations.putAll(binding.annotations());
    changed(pod);
    ungate.accept(pod);
    return new WriteResult.Done();
  }

  private static boolean holds(StoredPod pod, JsonPatch.Test test) {
    String value = test.value().asText();
    if (test.pointer().equals("/metadata/resourceVersion")) {
      return value.equals(Long.toString(pod.version));
    }
    String[] path = test.pointer().split("/", -1);
    return path[2].equals("schedulingGates")
        && pod.gates.get(Integer.parseInt(path[3])).equals(value);
  }

  private static void apply(StoredPod pod, JsonPatch.Operation operation) {
    String[] path = operation.pointer().split("/", -1);
    switch (operation) {
      case JsonPatch.Test _ -> {}
      case JsonPatch.Remove _ when path[2].equals("schedulingGates") ->
          pod.gates.remove(Integer.parseInt(path[3]));
      case JsonPatch.Remove _ -> {
        if (pod.annotations.remove(unescaped(path[3])) == null) {
          throw new AssertionError("removed what is not there: " + operation);
        }
      }
      case JsonPatch.Add add when path[2].equals("annotations") && path.length == 4 ->
          pod.annotations.put(unescaped(path[3]), add.value().asText());
      case JsonPatch.Add add when path[2].equals("annotations") -> {
        if (!pod.annotations.isEmpty()) {
          throw new AssertionError("annotations are replaced: " + pod.annotations);
        }
        add.value()
            .properties()
            .forEach(e -> pod.annotations.put(e.getKey(), e.getValue().asText()));
      }
      case JsonPatch.Add add when path.length == 4 -> {
        if (pod.nodeSelector.put(unescaped(path[3]), add.value().asText()) != null) {
          throw new AssertionError("a key of the node selector is changed");
        }
      }
      case JsonPatch.Add add -> {
        if (!pod.nodeSelector.isEmpty()) {
          throw new AssertionError("the node selector is replaced");
        }
        add.value()
            .properties()
            .forEach(e -> pod.nodeSelector.put(e.getKey(), e.getValue().asText()));
      }
    }
  }

  private static String unescaped(String name) {
    return name.replace("~1", "/").replace("~0", "~");
  }
}
