package dev.cotenant.simulator.gate;

import dev.cotenant.admission.cluster.ClusterWriter;
import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.cluster.WatchedPod.Life;
import dev.cotenant.admission.cluster.WatchedPod.Phase;
import dev.cotenant.admission.cluster.WatchedPod.Scheduling;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.review.JsonPatch;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stores pods as an API server does: a version for every change, patches that test it, gates that
 * are removed once. An ungated pod is on its node and runs at once.
 */
final class ApiServer implements ClusterWriter {
  private static final int ANNOTATION_DEPTH = 4;

  private final Map<String, WatchedPod> pods = new HashMap<>();
  private final Supplier<Instant> clock;
  private final Consumer<WatchedPod> watch;
  private final Consumer<WatchedPod> ungated;
  private long version;

  /**
   * @param watch receives every new state of a pod
   * @param ungated receives the state in which a pod is first without the gate
   */
  ApiServer(Supplier<Instant> clock, Consumer<WatchedPod> watch, Consumer<WatchedPod> ungated) {
    this.clock = clock;
    this.watch = watch;
    this.ungated = ungated;
  }

  /** A new pod with the gate. */
  void create(String uid, PodRequest.Colocatable request) {
    PodIdentity name = request.pod();
    Life life = new Life(clock.get(), null, Phase.PENDING, false, false, null);
    store(
        new WatchedPod(
            uid,
            "",
            name,
            request,
            Map.of(),
            scheduling(List.of(WatchedPod.GATE), null),
            life,
            true,
            Footprint.NONE));
  }

  private static Scheduling scheduling(List<String> gates, @Nullable String node) {
    return new Scheduling(
        gates, node, NodeRequirements.NONE, 0, false, Scheduling.DEFAULT_SCHEDULER);
  }

  /** The containers of a pod were killed for lack of memory; it has ended. */
  void runOutOfMemory(String uid) {
    WatchedPod pod = pods.get(uid);
    if (pod != null) {
      Life life = pod.life();
      store(
          with(
              pod,
              pod.annotations(),
              pod.scheduling(),
              new Life(life.createdAt(), life.startedAt(), Phase.FAILED, false, true, null)));
    }
  }

  void remove(String uid) {
    pods.remove(uid);
  }

  private void store(WatchedPod pod) {
    WatchedPod stored =
        new WatchedPod(
            pod.uid(),
            Long.toString(++version),
            pod.pod(),
            pod.request(),
            pod.annotations(),
            pod.scheduling(),
            pod.life(),
            true,
            Footprint.NONE);
    pods.put(pod.uid(), stored);
    watch.accept(stored);
  }

  private static WatchedPod with(
      WatchedPod pod, Map<String, String> annotations, Scheduling scheduling, Life life) {
    return new WatchedPod(
        pod.uid(),
        pod.resourceVersion(),
        pod.pod(),
        pod.request(),
        annotations,
        scheduling,
        life,
        true,
        Footprint.NONE);
  }

  @Override
  public void patch(WatchedPod pod, JsonPatch patch, Consumer<WriteResult> done) {
    WatchedPod present = pods.get(pod.uid());
    if (present == null) {
      done.accept(new WriteResult.Gone());
    } else if (present.resourceVersion().equals(pod.resourceVersion())) {
      WatchedPod patched = patched(present, patch);
      store(patched);
      if (present.hasOurGate() && !patched.hasOurGate()) {
        ungated.accept(patched);
      }
      done.accept(new WriteResult.Done());
    } else {
      done.accept(new WriteResult.Conflict());
    }
  }

  private WatchedPod patched(WatchedPod pod, JsonPatch patch) {
    Map<String, String> annotations = new TreeMap<>(pod.annotations());
    List<String> gates = new ArrayList<>(pod.scheduling().gates());
    for (JsonPatch.Operation operation : patch.operations()) {
      String[] path = operation.pointer().split("/", -1);
      boolean isAnnotation = path.length == ANNOTATION_DEPTH && path[2].equals("annotations");
      switch (operation) {
        case JsonPatch.Add add when isAnnotation ->
            annotations.put(name(path[3]), add.value().asText());
        case JsonPatch.Remove _ when isAnnotation -> annotations.remove(name(path[3]));
        case JsonPatch.Remove _ when path[2].equals("schedulingGates") ->
            gates.remove(Integer.parseInt(path[3]));
        default -> {} // the version was tested, and the assigned node is selected
      }
    }
    if (pod.hasOurGate() && gates.isEmpty()) {
      String node = annotations.get(CotenantAnnotations.ASSIGNED_NODE);
      Instant created = pod.life().createdAt();
      return with(
          pod,
          annotations,
          scheduling(gates, node),
          new Life(created, clock.get(), Phase.RUNNING, false, false, null));
    }
    return with(pod, annotations, pod.scheduling(), pod.life());
  }

  private static String name(String escaped) {
    return escaped.replace("~1", "/").replace("~0", "~");
  }

  @Override
  public void bind(Binding binding, Consumer<WriteResult> done) {
    done.accept(new WriteResult.Refused("no scheduler calls the extender here"));
  }

  @Override
  public void read(PodIdentity pod, String uid, Consumer<PodLookupResult> done) {
    WatchedPod present = pods.get(uid);
    done.accept(present == null ? new PodLookupResult.Gone() : new PodLookupResult.There(present));
  }

  @Override
  public void delete(WatchedPod pod, Consumer<WriteResult> done) {
    done.accept(new WriteResult.Refused("jobs make their pods themselves here"));
  }

  @Override
  public void report(WatchedPod pod, PodEvent event) {}
}
