package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.workload.EngineRun;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Servers of language models in interleavings. One that starts while another loads on its GPU
 * counts the memory of both, and fails; a server loads for half a minute.
 */
final class Servers {
  private static final Duration LOADING = Duration.ofSeconds(30);

  /** As long as a server is waited for that says nothing. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private Servers() {}

  /** In every fifth world all pods are. */
  static boolean areIn(int seed) {
    return seed % 5 == 4;
  }

  /** The workload of a server that is predicted like a small job. */
  static WorkloadAnnotations of(String namespace, WorkloadAnnotations job) {
    EngineRun run =
        new EngineRun(
            namespace,
            EngineRun.Kind.SERVER,
            "vllm",
            "0.19",
            job.model(),
            true,
            Map.of(),
            List.of());
    return new WorkloadAnnotations(
        job.model(), 1, job.settings(), null, null, job.maxSlowdown(), null, List.of(), run, null);
  }

  private static boolean isServer(StoredPod pod) {
    return pod.request instanceof Colocatable request && request.workload().isServer();
  }

  /** Those that have loaded, as their metrics say. */
  static Map<String, Instant> serving(Iterable<StoredPod> all, Instant now) {
    Map<String, Instant> serving = new HashMap<>();
    for (StoredPod pod : all) {
      Instant started = pod.startedAt;
      if (started != null && isServer(pod) && !now.isBefore(started.plus(LOADING))) {
        serving.put(pod.uid, now);
      }
    }
    return serving;
  }

  /** How many servers one that was granted a share now starts beside; none of them may load. */
  static long verifyStart(StoredPod granted, Iterable<StoredPod> all, Instant now) {
    return StreamSupport.stream(all.spliterator(), false)
        .filter(other -> other != granted && areBeside(granted, other))
        .peek(other ->
            assertThat(isSettled(other, now))
                .as("%s starts while %s loads", granted.identity, other.identity)
                .isTrue())
        .count();
  }

  /** Whether a pod is a server that is still waited for; without a grant it may have a hold. */
  static boolean isAwaited(String name, Iterable<StoredPod> all, Instant now) {
    return StreamSupport.stream(all.spliterator(), false)
        .filter(pod -> pod.identity.toString().equals(name))
        .anyMatch(pod ->
            isServer(pod)
                && pod.isLive()
                && (!Grants.isGranted(pod) || now.isBefore(since(pod).plus(PATIENCE))));
  }

  private static boolean areBeside(StoredPod left, StoredPod right) {
    return isServer(left)
        && isServer(right)
        && isThere(right)
        && !Grants.isWhole(left)
        && !Grants.isWhole(right)
        && left.annotation(CotenantAnnotations.ASSIGNED_GPU)
            .equals(right.annotation(CotenantAnnotations.ASSIGNED_GPU));
  }

  private static boolean isThere(StoredPod pod) {
    return pod.isLive() && !pod.gates.contains(WatchedPod.GATE) && Grants.isGranted(pod);
  }

  private static boolean isSettled(StoredPod server, Instant now) {
    @Nullable Instant started = server.startedAt;
    return (started != null && !now.isBefore(started.plus(LOADING)))
        || !now.isBefore(since(server).plus(PATIENCE));
  }

  private static Instant since(StoredPod server) {
    Instant started = server.startedAt;
    return started == null
        ? Instant.parse(server.annotation(CotenantAnnotations.GRANTED_AT))
        : started;
  }
}
