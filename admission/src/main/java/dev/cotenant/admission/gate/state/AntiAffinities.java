package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.guard.GuardNotes.Pair;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.workload.Workload;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The pairs of workloads that are not to share a GPU, with an index of all grants by workload that
 * follows the ledger. Without pairs there is no index.
 */
final class AntiAffinities {
  /** Bytes of a digest of a configuration; names of models may be long paths. */
  private static final int DIGEST = 12;

  private final Term term;
  private final Map<String, List<Pair>> pairs = new HashMap<>();

  /** Grants of shares by their keys, and of these keys by workload. */
  private final Map<String, Indexed> byKey = new HashMap<>();

  private final Map<String, Map<String, Indexed>> byWorkload = new HashMap<>();
  private final Map<PodIdentity, String> named = new HashMap<>();
  private final Map<CacheKey, Map<String, Reason>> cache = new HashMap<>();

  private record Indexed(PodGrant grant, String workload) {}

  /** A workload, and the pod itself where it has a grant. */
  private record CacheKey(String workload, @Nullable PodIdentity self) {}

  AntiAffinities(Term term) {
    this.term = term;
  }

  /** Equal for pods of one namespace and configuration, also after a restart. */
  static Optional<String> workload(WatchedPod pod) {
    return pod.request() instanceof Colocatable request ? workload(request) : Optional.empty();
  }

  private static Optional<String> workload(Colocatable pod) {
    return pod.workload().workload().map(named -> workload(pod.pod().namespace(), named));
  }

  private static String workload(String namespace, Workload named) {
    String configuration =
        named.model()
            + " "
            + named.batchSize()
            + " "
            + named.settings().mode()
            + " "
            + named.settings().precision();
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(configuration.getBytes(StandardCharsets.UTF_8));
      return namespace + "/" + HexFormat.of().formatHex(digest, 0, DIGEST);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }

  /** The pairs have changed. */
  void pairs(List<Pair> all) {
    pairs.clear();
    cache.clear();
    if (all.isEmpty()) {
      term.ledger().endIndex();
      byKey.clear();
      byWorkload.clear();
      named.clear();
    }
    for (Pair pair : all) {
      pairs.computeIfAbsent(pair.one(), _ -> new ArrayList<>()).add(pair);
      if (!pair.one().equals(pair.other())) {
        pairs.computeIfAbsent(pair.other(), _ -> new ArrayList<>()).add(pair);
      }
    }
  }

  /** GPUs with a tenant whose workload has anti-affinity with the pod's, by uuid. */
  Map<String, Reason> avoided(Colocatable pod) {
    if (pairs.isEmpty()) {
      return Map.of();
    }
    term.ledger().takeUnindexed().forEach(this::index);
    @Nullable String own = workload(pod).orElse(null);
    if (own == null || !pairs.containsKey(own)) {
      return Map.of();
    }
    PodIdentity self = pod.pod();
    return cache.computeIfAbsent(
        new CacheKey(own, named.containsKey(self) ? self : null), this::avoided);
  }

  private Map<String, Reason> avoided(CacheKey key) {
    Map<String, Reason> avoided = new TreeMap<>();
    for (Pair pair : pairs.getOrDefault(key.workload, List.of())) {
      String other = pair.one().equals(key.workload) ? pair.other() : pair.one();
      for (Indexed tenant : byWorkload.getOrDefault(other, Map.of()).values()) {
        PodGrant grant = tenant.grant;
        if (!grant.pod().equals(key.self)) {
          String gpu = grant.gpus().getFirst();
          avoided.put(
              gpu, new Reason.PairAvoided(gpu, grant.node(), grant.pod().toString(), pair.until()));
        }
      }
    }
    return Collections.unmodifiableMap(avoided);
  }

  private void index(String key) {
    @Nullable Indexed before = byKey.remove(key);
    if (before != null) {
      named.remove(before.grant.pod());
      byWorkload.getOrDefault(before.workload, new HashMap<>()).remove(key);
      forget(before.workload);
    }
    @Nullable PodGrant grant = term.ledger().find(key).orElse(null);
    @Nullable TrackedPod pod = term.pods().find(key);
    @Nullable String workload = pod == null ? null : workload(pod.latest()).orElse(null);
    if (grant != null && workload != null && grant.extent() == PodGrant.Extent.SHARE) {
      Indexed now = new Indexed(grant, workload);
      byKey.put(key, now);
      named.put(grant.pod(), key);
      byWorkload.computeIfAbsent(workload, _ -> new HashMap<>()).put(key, now);
      forget(workload);
    }
  }

  private void forget(String workload) {
    if (pairs.containsKey(workload)) {
      cache.clear();
    }
  }
}
