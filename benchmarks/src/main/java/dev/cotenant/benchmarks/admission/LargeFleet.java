package dev.cotenant.benchmarks.admission;

import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.PlainPod;
import dev.cotenant.admission.cluster.PodTopology;
import dev.cotenant.admission.cluster.ResourceAmounts;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.cluster.WatchedPod.Life;
import dev.cotenant.admission.cluster.WatchedPod.Phase;
import dev.cotenant.admission.cluster.WatchedPod.Scheduling;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.review.JsonPatch;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Nodes with eight GPUs each, pods on each GPU, and pods that wait. */
final class LargeFleet implements WorkloadPredictor {
  static final int GPUS_PER_NODE = 8;
  private static final int PLAIN_PODS_PER_NODE = 16;
  private static final ResourceAmounts ALLOCATABLE =
      ResourceAmounts.of(Map.of("cpu", 96_000L, "memory", 1L << 40, "pods", 250L));
  private static final Footprint FOOTPRINT =
      new Footprint(
          ResourceAmounts.of(Map.of("cpu", 2_000L, "memory", 8L << 30)),
          List.of(),
          Map.of("app", "infer"),
          PodTopology.NONE,
          Set.of());
  private static final Device DEVICE = DeviceCatalogue.builtIn().require("a100-80gb");

  private final Instant longAgo = Instant.now().minus(Duration.ofHours(3));
  private final int nodes;
  private final int held;
  private final int podsPerGpu;
  private long version = 1;

  /** Three pods on each GPU, which is all that fit. */
  LargeFleet(int nodes, int held) {
    this(nodes, held, 3);
  }

  LargeFleet(int nodes, int held, int podsPerGpu) {
    this.nodes = nodes;
    this.held = held;
    this.podsPerGpu = podsPerGpu;
  }

  static String node(int index) {
    return String.format("node-%05d", index);
  }

  private static String uuid(int node, int gpu) {
    return String.format("GPU-%08x-0000-4000-8000-%012x", node, gpu);
  }

  List<WatchedNode> nodes() {
    List<WatchedNode> all = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      all.add(
          new WatchedNode(
              node(i),
              Map.of(WatchedNode.HOSTNAME_LABEL, node(i)),
              List.of(),
              true,
              GPUS_PER_NODE,
              ALLOCATABLE));
    }
    return all;
  }

  ClusterSnapshot readings() {
    return readings(GPUS_PER_NODE);
  }

  /** The same number of GPUs, divided into nodes of this size. */
  ClusterSnapshot readings(int gpusPerNode) {
    MemorySize used = MemorySize.ofGiB(18);
    MemoryObservation observation =
        new MemoryObservation.Measured(
            used, used, Duration.ofSeconds(10), Duration.ofMinutes(10), List.of());
    List<GpuSnapshot> gpus = new ArrayList<>();
    for (int i = 0; i < nodes * GPUS_PER_NODE / gpusPerNode; i++) {
      for (int g = 0; g < gpusPerNode; g++) {
        gpus.add(
            new GpuSnapshot(
                uuid(i, g),
                node(i),
                DEVICE,
                MemorySize.ofGiB(79),
                new Tenancy.Shared(List.of()),
                observation,
                Utilization.ofPercent(60)));
      }
    }
    return new ClusterSnapshot(Instant.now(), gpus);
  }

  List<WatchedPod> granted() {
    List<WatchedPod> all = new ArrayList<>();
    for (int i = 0; i < nodes * GPUS_PER_NODE * podsPerGpu; i++) {
      int gpu = i / podsPerGpu;
      String node = node(gpu / GPUS_PER_NODE);
      Map<String, String> annotations =
          Map.of(
              CotenantAnnotations.ADMISSION_ID,
              String.format("%032x", i),
              CotenantAnnotations.DECISION,
              "Admitted",
              CotenantAnnotations.REASON,
              "utilization 90.0 % of 100.0 %, memory 24 GiB of 75 GiB",
              CotenantAnnotations.ASSIGNED_NODE,
              node,
              CotenantAnnotations.ASSIGNED_GPU,
              uuid(gpu / GPUS_PER_NODE, gpu % GPUS_PER_NODE),
              CotenantAnnotations.PREDICTED_UTILIZATION,
              "30.0",
              CotenantAnnotations.PREDICTED_MEMORY,
              "8192Mi",
              CotenantAnnotations.GRANTED_AT,
              longAgo.toString());
      Scheduling scheduling =
          new Scheduling(
              List.of(), node, NodeRequirements.NONE, 0, true, Scheduling.DEFAULT_SCHEDULER);
      Life life = new Life(longAgo, longAgo, Phase.RUNNING, false, false, null);
      all.add(pod("granted-" + i, 8, annotations, scheduling, life));
    }
    return all;
  }

  /** Pods with our gate. */
  List<WatchedPod> held() {
    return waiting(List.of(WatchedPod.GATE), Scheduling.DEFAULT_SCHEDULER);
  }

  /** Pods that their scheduler has yet to bind. */
  List<WatchedPod> released(String scheduler) {
    return waiting(List.of(), scheduler);
  }

  private List<WatchedPod> waiting(List<String> gates, String scheduler) {
    List<WatchedPod> all = new ArrayList<>();
    for (int i = 0; i < held; i++) {
      Scheduling scheduling =
          new Scheduling(gates, null, NodeRequirements.NONE, 0, false, scheduler);
      Life life = new Life(Instant.now(), null, Phase.PENDING, false, false, null);
      all.add(
          pod(
              "held-" + i,
              i + 1,
              Map.of(CotenantAnnotations.ADMISSION_ID, "t" + i),
              scheduling,
              life));
    }
    return all;
  }

  private WatchedPod pod(
      String name, int batch, Map<String, String> annotations, Scheduling scheduling, Life life) {
    Colocatable request =
        new Colocatable(
            new PodIdentity("team", name, null),
            new GpuRequest(GpuDialect.HAMI, "main", 1, null, null),
            new WorkloadAnnotations(
                "model", batch, RunSettings.DEFAULT, null, null, null, null, List.of()),
            new NodeConstraints(null, List.of()));
    return new WatchedPod(
        "uid-" + name,
        Long.toString(version++),
        request.pod(),
        request,
        annotations,
        scheduling,
        life,
        true,
        FOOTPRINT);
  }

  /** Pods without GPU, sixteen on each node. */
  List<ClusterChange> others() {
    List<ClusterChange> all = new ArrayList<>();
    for (int i = 0; i < nodes * PLAIN_PODS_PER_NODE; i++) {
      all.add(
          new ClusterChange.PodSeen(
              new PlainPod("plain-" + i, "web", node(i / PLAIN_PODS_PER_NODE), FOOTPRINT)));
    }
    return all;
  }

  /** The pod as the patch leaves it. */
  WatchedPod patched(WatchedPod pod, JsonPatch patch) {
    Map<String, String> annotations = new HashMap<>(pod.annotations());
    List<String> gates = new ArrayList<>(pod.scheduling().gates());
    for (JsonPatch.Operation operation : patch.operations()) {
      String pointer = operation.pointer();
      if (operation instanceof JsonPatch.Add add && pointer.startsWith("/metadata/annotations/")) {
        annotations.put(
            pointer.substring("/metadata/annotations/".length()).replace("~1", "/"),
            add.value().asText());
      } else if (operation instanceof JsonPatch.Remove) {
        gates.remove(WatchedPod.GATE);
      }
    }
    Scheduling scheduling =
        new Scheduling(
            gates, null, NodeRequirements.NONE, 0, true, pod.scheduling().schedulerName());
    return new WatchedPod(
        pod.uid(),
        Long.toString(version++),
        pod.pod(),
        pod.request(),
        annotations,
        scheduling,
        pod.life(),
        true,
        FOOTPRINT);
  }

  /**
   * Utilization of 30 to 40 % by the batch, so that most pods fit in place of one that has ended.
   */
  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
    Map<DeviceId, Prediction> byDevice = new HashMap<>();
    double percent = 30 + workload.batchSize() % 100 / 10.0;
    MemorySize memory = MemorySize.ofMiB(6000 + workload.batchSize());
    for (DeviceId device : devices) {
      byDevice.put(
          device,
          new Prediction(
              device,
              workload.batchSize(),
              workload.settings(),
              new UtilizationEstimate(
                  Utilization.ofPercent(percent),
                  Utilization.ofPercent(percent),
                  Utilization.ofPercent(percent),
                  Coverage.CERTAIN),
              new MemoryEstimate(memory, memory, memory, Coverage.CERTAIN),
              "fixed",
              List.of()));
    }
    return new Outcome.Predicted(byDevice);
  }
}
