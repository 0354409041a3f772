package dev.cotenant.admission.inventory;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.patch.GrantedRisk;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.ServicePartition;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads grants from the annotations of pods.
 *
 * <p>Bounds come from annotations; an unreadable mean of utilization is replaced by the upper
 * bound. The graph's counts and the parts of an engine's memory come from the predictor, where the
 * model is still registered. The slowdown limit follows from the pod, its policy, and the
 * annotation of its latency objective. Annotations may be forged or broken: each reading ends in
 * one of three results.
 */
public final class GrantReader {
  private static final Pattern PERCENT = Pattern.compile("\\d{1,3}(\\.\\d{1,3})?");
  private static final Pattern RATIO = Pattern.compile("[1-9]\\d{0,3}(\\.\\d{1,3})?");
  private static final Pattern MEBIBYTES = Pattern.compile("(\\d{1,9})Mi");
  private static final Pattern SECONDS = Pattern.compile("(\\d{1,9})s");
  private static final Pattern UUID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,127}");
  private static final Pattern SHARE = Pattern.compile("[1-9]\\d?|100");
  private static final int MAX_GPUS = 64;

  /** Value of {@link CotenantAnnotations#PROFILED} where runs of the configuration are known. */
  public static final String MEASURED = "measured";

  private static final String MODEL_VERSION = "annotations";

  private final WorkloadPredictor predictor;
  private final Inventory inventory;

  public GrantReader(WorkloadPredictor predictor, Inventory inventory) {
    this.predictor = predictor;
    this.inventory = inventory;
  }

  /** What annotations say. */
  public sealed interface Read {
    /** A grant. */
    record Granted(PodGrant grant) implements Read {}

    /** That nothing was granted. */
    record Nothing() implements Read {}

    /** Nothing that can be trusted. */
    record Broken(String why) implements Read {}
  }

  /** Adds the GPUs in the grant of a pod to the inventory, as far as its node has capacity. */
  public void name(WatchedPod pod) {
    String node = pod.annotations().getOrDefault(CotenantAnnotations.ASSIGNED_NODE, "");
    for (String uuid : uuids(pod)) {
      if (UUID.matcher(uuid).matches() && inventory.node(node).isPresent()) {
        inventory.name(node, uuid);
      }
    }
  }

  private static List<String> uuids(WatchedPod pod) {
    String all = pod.annotations().getOrDefault(CotenantAnnotations.ASSIGNED_GPU, "");
    return all.isEmpty() ? List.of() : List.of(all.split(",", -1));
  }

  /** Reads a pod that no gate of ours holds. */
  public Read read(WatchedPod pod, Policies policies) {
    Map<String, String> all = pod.annotations();
    @Nullable Extent extent =
        switch (all.getOrDefault(CotenantAnnotations.DECISION, "")) {
          case GrantAnnotations.ADMITTED -> Extent.SHARE;
          case GrantAnnotations.EXCLUSIVE -> Extent.WHOLE;
          default -> null;
        };
    if (extent == null) {
      return all.containsKey(CotenantAnnotations.ASSIGNED_GPU)
          ? new Read.Broken("a GPU is assigned without a decision")
          : new Read.Nothing();
    }
    String node = all.getOrDefault(CotenantAnnotations.ASSIGNED_NODE, "");
    if (inventory.node(node).isEmpty()) {
      return new Read.Broken("node '" + node + "' is not in the cluster");
    }
    if (pod.scheduling().node() != null && !pod.scheduling().node().equals(node)) {
      return new Read.Broken(
          "it runs on " + pod.scheduling().node() + " and was granted capacity on " + node);
    }
    return read(pod, extent, node, policies);
  }

  private Read read(WatchedPod pod, Extent extent, String node, Policies policies) {
    List<String> uuids = uuids(pod);
    boolean wellFormed =
        !uuids.isEmpty()
            && uuids.size() <= MAX_GPUS
            && Set.copyOf(uuids).size() == uuids.size()
            && uuids.stream().allMatch(uuid -> UUID.matcher(uuid).matches());
    if (!wellFormed || (extent == Extent.SHARE && uuids.size() != 1)) {
      return new Read.Broken("the assigned GPUs cannot be read");
    }
    name(pod);
    List<Grant> grants = new ArrayList<>();
    Slowdown slowdownLimit = Slowdown.NONE;
    RiskLimit risk = RiskLimit.NONE;
    for (String uuid : uuids) {
      @Nullable GpuSnapshot gpu = inventory.base().find(uuid).orElse(null);
      if (gpu == null || !gpu.node().equals(node)) {
        return new Read.Broken("there is no GPU " + uuid + " on " + node);
      }
      @Nullable Prediction prediction = prediction(pod, gpu.device().id()).orElse(null);
      if (prediction == null && extent == Extent.SHARE) {
        return new Read.Broken("the predicted utilization or memory cannot be read");
      }
      grants.add(new Grant(uuid, node, prediction));
      SharingLimits policy = limits(pod, policies).on(gpu.device().id());
      SharingLimits limits = objective(pod).map(policy::withSlowdownAtMost).orElse(policy);
      slowdownLimit = limits.slowdown();
      risk = risk(pod).orElse(limits.risk());
    }
    String reason = pod.annotations().getOrDefault(CotenantAnnotations.REASON, "");
    Decision.Admitted admitted = new Decision.Admitted(grants, new Evidence.Recorded(reason));
    return new Read.Granted(
        new PodGrant(
            pod.uid(),
            pod.pod(),
            admitted,
            extent,
            slowdownLimit,
            risk,
            grantedAt(pod),
            new PodGrant.Bound(),
            extent == Extent.SHARE ? profileTime(pod) : Duration.ZERO));
  }

  /** The budget that stood at the grant; empty where it is not recorded. */
  private static Optional<RiskLimit> risk(WatchedPod pod) {
    return GrantedRisk.read(pod.annotations().getOrDefault(CotenantAnnotations.GRANTED_RISK, ""));
  }

  /** How long it is measured alone; zero where it is not, or where that is concluded. */
  public static Duration profileTime(WatchedPod pod) {
    var seconds =
        SECONDS.matcher(pod.annotations().getOrDefault(CotenantAnnotations.PROFILE_TIME, ""));
    boolean isOver = pod.annotations().containsKey(CotenantAnnotations.PROFILED);
    if (isOver || !seconds.matches()) {
      return Duration.ZERO;
    }
    Duration time = Duration.ofSeconds(Long.parseLong(seconds.group(1)));
    return time.compareTo(SharingLimits.MAX_PROFILE_TIME) <= 0
        ? time
        : SharingLimits.MAX_PROFILE_TIME;
  }

  private static DeviceLimits limits(WatchedPod pod, Policies policies) {
    DeviceLimits limits = policies.of(pod.pod().namespace()).limits();
    return pod.request() instanceof Colocatable colocatable
        ? colocatable.workload().within(limits)
        : limits;
  }

  /**
   * The slowdown tolerated by the latency objective; empty without the annotation, {@link
   * Slowdown#NONE} if unreadable.
   */
  private static Optional<Slowdown> objective(WatchedPod pod) {
    @Nullable String ratio = pod.annotations().get(CotenantAnnotations.OBJECTIVE_SLOWDOWN);
    return Optional.ofNullable(ratio)
        .map(text ->
            RATIO.matcher(text).matches()
                ? Slowdown.ofRatio(Double.parseDouble(text))
                : Slowdown.NONE);
  }

  private static Instant grantedAt(WatchedPod pod) {
    try {
      return Instant.parse(pod.annotations().getOrDefault(CotenantAnnotations.GRANTED_AT, ""));
    } catch (DateTimeParseException _) {
      return pod.life().createdAt();
    }
  }

  private Optional<Prediction> prediction(WatchedPod pod, DeviceId device) {
    String percent = pod.annotations().getOrDefault(CotenantAnnotations.PREDICTED_UTILIZATION, "");
    var mebibytes =
        MEBIBYTES.matcher(pod.annotations().getOrDefault(CotenantAnnotations.PREDICTED_MEMORY, ""));
    if (!PERCENT.matcher(percent).matches()
        || Double.parseDouble(percent) > 100
        || !mebibytes.matches()) {
      return Optional.empty();
    }
    Utilization upper = Utilization.ofPercent(Double.parseDouble(percent));
    MemorySize memory = MemorySize.ofMiB(Long.parseLong(mebibytes.group(1)));
    @Nullable Prediction known = known(pod, device).orElse(null);
    @Nullable GraphRun run = known == null ? null : known.run().orElse(null);
    Prediction granted =
        new Prediction(
            device,
            run == null ? 1 : run.batchSize(),
            run == null ? RunSettings.DEFAULT : run.settings(),
            new UtilizationEstimate(mean(pod, upper), Utilization.IDLE, upper, null),
            new MemoryEstimate(memory, MemorySize.ZERO, memory, null),
            MODEL_VERSION,
            List.of());
    @Nullable EngineMemory engine = known == null ? null : known.engine();
    Prediction named = engine == null ? granted : granted.withEngine(engine);
    Prediction whole = (run == null ? named : named.withWork(run.work())).withLifetime(stay(pod));
    @Nullable ServicePartition service = known == null ? null : known.partition();
    Prediction placed = service == null ? whole : whole.withPartition(service.within(share(pod)));
    return Optional.of(
        known != null && isMeasured(pod) ? placed.withMeasured(known.measured()) : placed);
  }

  /** The MPS limit, whole percents of the GPU; the whole one where none is recorded. */
  private static Share share(WatchedPod pod) {
    String percent =
        pod.annotations().getOrDefault(CotenantAnnotations.MPS_ACTIVE_THREAD_PERCENTAGE, "");
    return SHARE.matcher(percent).matches()
        ? Share.ofPercent(Integer.parseInt(percent))
        : Share.WHOLE;
  }

  /** How long it was expected to stay at its grant; null where that is not recorded. */
  private static @Nullable Duration stay(WatchedPod pod) {
    var seconds =
        SECONDS.matcher(pod.annotations().getOrDefault(CotenantAnnotations.GRANTED_STAY, ""));
    return seconds.matches() ? Duration.ofSeconds(Long.parseLong(seconds.group(1))) : null;
  }

  private static boolean isMeasured(WatchedPod pod) {
    return MEASURED.equals(pod.annotations().get(CotenantAnnotations.PROFILED));
  }

  private static Utilization mean(WatchedPod pod, Utilization upper) {
    String percent =
        pod.annotations().getOrDefault(CotenantAnnotations.PREDICTED_UTILIZATION_MEAN, "");
    return PERCENT.matcher(percent).matches() && Double.parseDouble(percent) <= upper.percent()
        ? Utilization.ofPercent(Double.parseDouble(percent))
        : upper;
  }

  /** The current prediction, with the counts of its graph. */
  private Optional<Prediction> known(WatchedPod pod, DeviceId device) {
    return workload(pod.request())
        .map(workload ->
            predictor.predictIn(pod.pod().namespace(), workload, Set.of(device), Coverage.STANDARD))
        .flatMap(outcome ->
            outcome instanceof WorkloadPredictor.Outcome.Predicted predicted
                ? Optional.ofNullable(predicted.byDevice().get(device))
                : Optional.empty());
  }

  /** The workload that a pod names a model for. */
  public static Optional<Workload> workload(PodRequest request) {
    return request instanceof Colocatable pod ? pod.workload().workload() : Optional.empty();
  }
}
