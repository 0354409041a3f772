package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.cluster.WatchedPod.Life;
import dev.cotenant.admission.cluster.WatchedPod.Phase;
import dev.cotenant.admission.cluster.WatchedPod.Scheduling;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A pod as the fake API server keeps it. */
public final class StoredPod {
  final String uid;
  final PodIdentity identity;
  final PodRequest request;
  public final Instant createdAt;
  public final Map<String, String> annotations = new TreeMap<>();
  final List<String> gates = new ArrayList<>();
  final Map<String, String> nodeSelector = new TreeMap<>();
  int priority;
  boolean preempts = true;
  long version;
  public @Nullable String node;
  public @Nullable Instant startedAt;

  /** The GPU that its kubelet chose; null where it is that of the grant. */
  @Nullable String usedGpu;

  /** Used memory in MiB once it runs; 0 for three quarters of the prediction. */
  long usesMebibytes;

  Phase phase = Phase.PENDING;
  boolean terminating;
  boolean outOfMemory;
  @Nullable String owner;
  String schedulerName = Scheduling.DEFAULT_SCHEDULER;
  NodeRequirements requirements = NodeRequirements.NONE;
  Footprint footprint = Footprint.NONE;
  WatchedPod.@Nullable Unschedulable unschedulable;

  StoredPod(String uid, PodRequest.Colocatable request, Instant createdAt) {
    this(uid, request.pod(), request, createdAt);
  }

  StoredPod(String uid, PodIdentity identity, PodRequest request, Instant createdAt) {
    this.uid = uid;
    this.identity = identity;
    this.request = request;
    this.createdAt = createdAt;
  }

  public WatchedPod watched() {
    Map<String, String> labels = new TreeMap<>(requirements.labels());
    labels.putAll(nodeSelector);
    return new WatchedPod(
        uid,
        Long.toString(version),
        identity,
        request,
        annotations,
        new Scheduling(
            gates,
            node,
            new NodeRequirements(labels, requirements.terms(), requirements.tolerations()),
            priority,
            !labels.isEmpty(),
            schedulerName,
            preempts),
        new Life(createdAt, startedAt, phase, terminating, outOfMemory, owner, unschedulable),
        !annotations.isEmpty(),
        footprint);
  }

  /** An annotation that it has. */
  String annotation(String name) {
    return Objects.requireNonNull(annotations.get(name), () -> identity + " lacks " + name);
  }

  boolean isLive() {
    return !phase.isFinished();
  }
}
