package dev.cotenant.service.cluster;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.cluster.ReadingsSource;
import dev.cotenant.engine.profile.SoloRun;
import dev.cotenant.service.evidence.EvidenceCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The evidence of modes shadow and warn: pods that were decided about without effect, and that have
 * a whole GPU to themselves, are measured against their predictions, and the time of those that
 * would share is what sharing would save. Decisions come from any thread, looks from one.
 *
 * <p>The exporter attributes pods to GPUs. That may lag behind by seconds; a run counts from
 * minutes after its pod was first seen on. The decisions are those of this process since its start.
 */
public final class ShadowRuns {
  /** Decisions that are remembered, the newest. */
  static final int MAX = 5_000;

  /** Between two looks that far apart nothing is known. */
  private static final Duration MAX_APART = Duration.ofMinutes(5);

  private final GpuClaims claims;
  private final ReadingsSource readings;
  private final ClusterFeedback.Sources sources;
  private final EvidenceCounts evidence;
  private final Map<String, Double> prices;
  private final Map<String, DecisionRecord> decided =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, DecisionRecord> eldest) {
          return size() > MAX;
        }
      };

  private final Map<String, Alone> alone = new HashMap<>();

  /**
   * A pod that is alone on a GPU.
   *
   * @param last when it was seen there last
   * @param reported whether its run was compared
   */
  private record Alone(String pod, Instant since, Instant last, boolean reported) {}

  /**
   * @param claims of GPUs whose pods this replica counts
   * @param prices of a GPU hour, by device
   */
  public ShadowRuns(
      GpuClaims claims,
      ReadingsSource readings,
      ClusterFeedback.Sources sources,
      EvidenceCounts evidence,
      Map<String, Double> prices) {
    this.claims = claims;
    this.readings = readings;
    this.sources = sources;
    this.evidence = evidence;
    this.prices = Map.copyOf(prices);
  }

  /** Remembers a decision that has no effect. */
  public void decided(DecisionRecord record) {
    boolean isShadow = record.mode() == Policy.Mode.SHADOW || record.mode() == Policy.Mode.WARN;
    if (isShadow && record.intent() == Intent.REAL && record.podRequest().gpu().gpus() == 1) {
      synchronized (decided) {
        decided.put(key(record.pod()), record);
      }
    }
  }

  /** A name, or what generated names begin with. */
  private static String key(PodIdentity pod) {
    return pod.name() == null ? pod.namespace() + "/" + pod.generateName() : pod.toString();
  }

  /** The decision about a pod by name; for a generated name, by its longest prefix. */
  private Optional<DecisionRecord> about(String pod) {
    synchronized (decided) {
      for (int end = pod.length(); end > pod.indexOf('/') + 1; end--) {
        @Nullable DecisionRecord found = decided.get(pod.substring(0, end));
        if (found != null && (end == pod.length() || found.pod().name() == null)) {
          return Optional.of(found);
        }
      }
      return Optional.empty();
    }
  }

  /**
   * Looks at every GPU once.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when a row cannot be stored; it is offered
   *     again at the next look
   */
  public void observe() {
    Instant now = readings.now();
    Map<String, Occupant> seen = new TreeMap<>();
    for (GpuReading gpu : readings.readings()) {
      if (gpu.pods().size() == 1 && isWithoutGrant(gpu)) {
        String pod = gpu.pods().getFirst();
        about(pod).ifPresent(record -> seen.put(gpu.uuid(), new Occupant(gpu, pod, record)));
      }
    }
    // Each replica may know of the same decision; one counts.
    seen.keySet().retainAll(claims.claim(seen.keySet(), now, now.plus(MAX_APART)));
    alone.keySet().retainAll(seen.keySet());
    seen.values().forEach(each -> observe(each.gpu, each.pod, each.record, now));
  }

  /** A pod that has a GPU alone, and the decision about it. */
  private record Occupant(GpuReading gpu, String pod, DecisionRecord record) {}

  private static boolean isWithoutGrant(GpuReading gpu) {
    return gpu.tenancy() instanceof Tenancy.Shared(var tenants) && tenants.isEmpty();
  }

  private void observe(GpuReading gpu, String pod, DecisionRecord record, Instant now) {
    @Nullable Alone before = alone.get(gpu.uuid());
    Alone run;
    if (before == null || !before.pod.equals(pod)) {
      run = new Alone(pod, now, now, false);
    } else {
      save(gpu, record, Duration.between(before.last, now));
      run = new Alone(pod, before.since, now, before.reported);
    }
    alone.put(gpu.uuid(), run);
    if (!run.reported) {
      compare(gpu, record, run, now);
    }
  }

  private void save(GpuReading gpu, DecisionRecord record, Duration time) {
    if (time.isPositive()
        && time.compareTo(MAX_APART) <= 0
        && EvidenceCounts.isShared(record.decision())) {
      evidence.wouldSave(
          record.pod().namespace(), time, prices.getOrDefault(gpu.device().id().value(), 0.0));
    }
  }

  private void compare(GpuReading gpu, DecisionRecord record, Alone alone, Instant now) {
    @Nullable Prediction prediction = record.request().predictions().get(gpu.device().id());
    @Nullable String model =
        GrantReader.workload(record.podRequest())
            .filter(Workload::mayBeGraph)
            .map(Workload::model)
            .orElse(null);
    @Nullable SoloRun run = sources.run(model, prediction, alone.since).orElse(null);
    @Nullable ProfileRow row = run == null ? null : run.measured(gpu).orElse(null);
    if (run != null && row != null) {
      sources.add(record.pod().namespace(), row, now);
      // Counted, whatever becomes of its drift.
      this.alone.put(gpu.uuid(), new Alone(alone.pod, alone.since, now, true));
      sources.drift().add(run.prediction(), row, now);
    }
  }
}
