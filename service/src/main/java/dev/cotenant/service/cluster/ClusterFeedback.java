package dev.cotenant.service.cluster;

import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.cluster.ReadingsSource;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.model.RegisteredModel;
import dev.cotenant.engine.profile.ProfileStore;
import dev.cotenant.engine.profile.SoloRun;
import dev.cotenant.service.evidence.EvidenceCounts;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns what admitted pods were measured to do into profile rows: a pod that has had a GPU alone
 * for a whole window of settled samples gives one. Called periodically by one thread.
 */
public final class ClusterFeedback {
  private final ReadingsSource readings;
  private final Supplier<List<ActiveGrant>> grants;
  private final Sources sources;
  private final MeterRegistry meters;
  private final Map<String, Alone> alone = new HashMap<>();

  /**
   * Models of pods, the store of their rows, and what compares these with predictions.
   *
   * @param drift compares every run with its prediction
   */
  public record Sources(
      Engine engine,
      ModelRegistry models,
      ProfileStore profiles,
      EvidenceCounts evidence,
      DriftWatch drift) {
    /** Stores a measured run, after it was compared with its prediction. */
    void add(String namespace, ProfileRow row, Instant at) {
      evidence.measured(namespace, row);
      profiles.add(namespace, List.of(row), at);
    }

    /** A run of a grant; empty where it has several GPUs, or its model is not registered. */
    Optional<SoloRun> run(@Nullable String model, List<Grant> grants, Instant since) {
      return grants.size() == 1
          ? run(model, grants.getFirst().prediction(), since)
          : Optional.empty();
    }

    /** A run; empty where nothing was predicted of it, or its model is not registered. */
    Optional<SoloRun> run(@Nullable String model, @Nullable Prediction prediction, Instant since) {
      return prediction == null || model == null
          ? Optional.empty()
          : models.find(model).map(found -> run(found, prediction, since));
    }

    private SoloRun run(RegisteredModel model, Prediction prediction, Instant since) {
      var features = engine.inspect(model.graph(), Engine.batchOf(prediction.batchSize())).model();
      return new SoloRun(model.name(), features, prediction, since);
    }
  }

  /** Who has had a GPU alone since when, and whether that run has given its row. */
  private record Alone(String admissionId, Instant since, boolean reported) {}

  /**
   * @param readings what is measured
   * @param grants the current grants
   * @param sources where a pod's model is found, and where its row goes
   */
  public ClusterFeedback(
      ReadingsSource readings,
      Supplier<List<ActiveGrant>> grants,
      Sources sources,
      MeterRegistry meters) {
    this.readings = readings;
    this.grants = grants;
    this.sources = sources;
    this.meters = meters;
  }

  /**
   * Looks at every GPU once.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when a row cannot be stored; it is offered
   *     again at the next look
   */
  public void observe() {
    Map<String, List<ActiveGrant>> holders = holders();
    Instant now = readings.now();
    alone.keySet().retainAll(holders.keySet());
    for (GpuReading gpu : readings.readings()) {
      List<ActiveGrant> held = holders.getOrDefault(gpu.uuid(), List.of());
      if (held.size() == 1 && isOtherwiseFree(gpu) && held.getFirst().isTaken()) {
        observe(gpu, held.getFirst(), now);
      } else {
        alone.remove(gpu.uuid());
      }
    }
  }

  /** Grants by GPU, where it is known that the pods are on that one of the node's GPUs. */
  private Map<String, List<ActiveGrant>> holders() {
    Map<String, Integer> gpus = new HashMap<>();
    readings.readings().forEach(gpu -> gpus.merge(gpu.node(), 1, Integer::sum));
    Map<String, List<ActiveGrant>> holders = new HashMap<>();
    for (ActiveGrant entry : grants.get()) {
      for (Grant grant : entry.admitted().grants()) {
        if (entry.gpuAssignment().canShare(gpus.getOrDefault(grant.node(), 0))) {
          holders.merge(grant.gpuUuid(), List.of(entry), ClusterFeedback::joined);
        }
      }
    }
    return holders;
  }

  private static List<ActiveGrant> joined(List<ActiveGrant> some, List<ActiveGrant> others) {
    return java.util.stream.Stream.of(some, others).flatMap(List::stream).toList();
  }

  /** Whether no other tenant is known: tenants of a recording, MIG. */
  private static boolean isOtherwiseFree(GpuReading gpu) {
    return gpu.tenancy() instanceof Tenancy.Shared(var tenants) && tenants.isEmpty();
  }

  private void observe(GpuReading gpu, ActiveGrant entry, Instant now) {
    String admissionId = entry.admissionId();
    Alone before = alone.get(gpu.uuid());
    Alone run =
        before == null || !before.admissionId.equals(admissionId)
            ? new Alone(admissionId, now, false)
            : before;
    alone.put(gpu.uuid(), run);
    if (!run.reported) {
      sources
          .run(entry.model(), entry.admitted().grants(), run.since)
          .ifPresent(solo -> store(gpu, solo, run, entry.pod().namespace()));
    }
  }

  private void store(GpuReading gpu, SoloRun solo, Alone run, String namespace) {
    Optional<ProfileRow> row = solo.measured(gpu);
    if (row.isPresent()) {
      sources.add(namespace, row.get(), readings.now());
      alone.put(gpu.uuid(), new Alone(run.admissionId, run.since, true));
      sources.drift.add(solo.prediction(), row.get(), readings.now());
      meters.counter("cotenant.feedback.rows").increment();
    }
  }
}
