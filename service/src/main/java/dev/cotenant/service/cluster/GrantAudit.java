package dev.cotenant.service.cluster;

import dev.cotenant.admission.policy.Policies;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.placement.SharingDecider;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Predicts the workloads of active grants again after a promotion or rollback, of the predictor or
 * of constants of engines, and judges whether they would be granted now. Shown only: no grant
 * changes and no pod is evicted.
 *
 * <p>{@link #review} is for one thread, called periodically; results are for all threads.
 */
public final class GrantAudit {
  private static final String ENGINE_CONSTANTS = "the constants of its engine in force";

  private final Sources sources;
  private final Notices notices;
  private final Map<String, Predicted> predicted = new HashMap<>();
  private volatile Map<String, GpuReview> byGpu = Map.of();

  /**
   * The state of the cluster and of the predictor.
   *
   * @param grants current grants; none where this process does not decide
   * @param cluster GPUs with all grants
   * @param predictor predictions of now
   * @param version label of the serving predictor
   * @param rules limits and the slowdown that decisions predict
   */
  public record Sources(
      Supplier<List<ActiveGrant>> grants,
      Supplier<ClusterSnapshot> cluster,
      WorkloadPredictor predictor,
      Supplier<String> version,
      Rules rules) {}

  /**
   * What grants are judged by.
   *
   * @param policies limits of each namespace
   * @param decider predicts slowdown
   */
  public record Rules(Policies policies, SharingDecider decider) {}

  /** Takes a message about a pod whose grant a promotion puts outside the limits. */
  @FunctionalInterface
  public interface Notices {
    void outsideLimits(ActiveGrant grant, String why);
  }

  /**
   * A grant by the predictions of one version.
   *
   * @param isNews whether the version changed while this process knew the grant
   */
  private record Predicted(String version, Map<DeviceId, Prediction> byDevice, boolean isNews) {}

  public GrantAudit(Sources sources, Notices notices, MeterRegistry meters) {
    this.sources = sources;
    this.notices = notices;
    Gauge.builder("cotenant.grants.outside.limits", this, GrantAudit::outsideLimits)
        .register(meters);
  }

  /** The review of a GPU; empty where all its grants are by the serving predictor. */
  public Optional<GpuReview> of(String gpu) {
    return Optional.ofNullable(byGpu.get(gpu));
  }

  /** A pod's grant by the predictions of now, on the first of its GPUs; empty as {@link #of}. */
  public Optional<GpuReview.GrantReview> of(String pod, Decision.Admitted admitted) {
    return of(admitted.grants().getFirst().gpuUuid()).map(review -> review.grants().get(pod));
  }

  private double outsideLimits() {
    Set<String> pods =
        byGpu.values().stream()
            .flatMap(gpu -> gpu.grants().entrySet().stream())
            .filter(entry -> !entry.getValue().reasons().isEmpty())
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet());
    return pods.size();
  }

  /** Predicts grants that are not by the serving version, and judges their GPUs. */
  public void review() {
    String version = sources.version().get();
    List<ActiveGrant> standing = sources.grants().get();
    predicted.keySet().retainAll(standing.stream().map(ActiveGrant::admissionId).toList());
    Map<String, Map<String, ActiveGrant>> holders = new TreeMap<>();
    for (ActiveGrant grant : standing) {
      predict(grant, version);
      grant
          .gpus()
          .forEach(gpu ->
              holders
                  .computeIfAbsent(gpu, _ -> new TreeMap<>())
                  .put(grant.pod().toString(), grant));
    }
    ClusterSnapshot cluster = sources.cluster().get();
    Map<String, GpuReview> reviews = new HashMap<>();
    holders.forEach((uuid, here) ->
        cluster
            .find(uuid)
            .flatMap(gpu -> review(gpu, here, version))
            .ifPresent(review -> reviews.put(uuid, review)));
    byGpu = Map.copyOf(reviews);
    standing.forEach(this::report);
  }

  private void predict(ActiveGrant grant, String version) {
    Predicted before = predicted.get(grant.admissionId());
    if (grant.isOfEngine()) {
      Map<DeviceId, Prediction> now = predictions(grant, sources.cluster().get());
      boolean isNews = before != null && !memory(before.byDevice).equals(memory(now));
      predicted.put(grant.admissionId(), new Predicted(ENGINE_CONSTANTS, now, isNews));
    } else if (before == null || !before.version.equals(version)) {
      Map<DeviceId, Prediction> now =
          grant.isBy(version) ? Map.of() : predictions(grant, sources.cluster().get());
      predicted.put(grant.admissionId(), new Predicted(version, now, before != null));
    }
  }

  private static Map<DeviceId, MemoryEstimate> memory(Map<DeviceId, Prediction> predictions) {
    Map<DeviceId, MemoryEstimate> memory = new HashMap<>();
    predictions.forEach((device, prediction) -> memory.put(device, prediction.peakMemory()));
    return memory;
  }

  private Map<DeviceId, Prediction> predictions(ActiveGrant grant, ClusterSnapshot cluster) {
    Map<DeviceId, Prediction> all = new HashMap<>();
    for (Grant part : grant.admitted().grants()) {
      DeviceId device = cluster.find(part.gpuUuid()).map(gpu -> gpu.device().id()).orElse(null);
      if (device != null && grant.workload().isPresent()) {
        Outcome outcome =
            sources
                .predictor()
                .predictIn(
                    grant.pod().namespace(),
                    grant.workload().get(),
                    Set.of(device),
                    limits(grant, device).level());
        if (outcome instanceof Outcome.Predicted(var byDevice)) {
          all.putAll(byDevice);
        }
      }
    }
    return all;
  }

  private SharingLimits limits(ActiveGrant grant, DeviceId device) {
    return sources.rules().policies().of(grant.pod().namespace()).limits().on(device);
  }

  private Optional<GpuReview> review(
      GpuSnapshot gpu, Map<String, ActiveGrant> here, String version) {
    Map<String, GpuReview.Reviewed> pods = new TreeMap<>();
    here.forEach((pod, grant) -> {
      Predicted known = predicted.get(grant.admissionId());
      @Nullable Prediction one = known == null ? null : known.byDevice.get(gpu.device().id());
      if (one != null) {
        pods.put(pod, new GpuReview.Reviewed(one, limits(grant, gpu.device().id())));
      }
    });
    return pods.isEmpty()
        ? Optional.empty()
        : Optional.of(GpuReview.of(version, gpu, pods, sources.rules().decider()));
  }

  /** Once for each grant and change of version. */
  private void report(ActiveGrant grant) {
    Predicted known = predicted.get(grant.admissionId());
    if (known == null || !known.isNews) {
      return;
    }
    predicted.put(grant.admissionId(), new Predicted(known.version, known.byDevice, false));
    List<String> reasons = new ArrayList<>();
    for (String gpu : grant.gpus()) {
      of(gpu)
          .map(review -> review.grants().get(grant.pod().toString()))
          .ifPresent(one -> reasons.addAll(one.reasons()));
    }
    if (!reasons.isEmpty()) {
      notices.outsideLimits(
          grant,
          "would not be granted by "
              + (grant.isOfEngine() ? "" : "predictor ")
              + known.version
              + ", and keeps its grant: "
              + String.join("; ", reasons));
    }
  }
}
