package dev.cotenant.admission.kubernetes.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.ClusterWriter.EvictionResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.kubernetes.Bench;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Request;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Scripted;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Evictions through the Eviction API. */
class EvictionTest {
  @TempDir static Path folder;

  private final Bench bench = new Bench(folder);
  private final FabricWriter writer =
      new FabricWriter(bench.loopContext(), () -> true, "pod-1", (_, _) -> {});

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void evictsThePodOfThisUidAlone() throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gpuPod("train"));
    bench.fake.script(_ -> Optional.of(Scripted.of(201, "{\"kind\": \"Status\"}")));

    assertThat(evict(pod)).isEqualTo(new EvictionResult.Evicted());

    Request request = bench.fake.requests().getLast();
    assertThat(request.path()).isEqualTo("/api/v1/namespaces/team-a/pods/train/eviction");
    JsonNode body = Json.parse(request.body());
    assertThat(body.path("apiVersion").asText()).isEqualTo("policy/v1");
    assertThat(body.path("kind").asText()).isEqualTo("Eviction");
    assertThat(body.at("/deleteOptions/preconditions/uid").asText()).isEqualTo(pod.uid());
  }

  @ParameterizedTest
  @CsvSource({
    "404, Gone",
    "409, Gone",
    "403, Refused",
    "422, Refused",
    "500, Unknown",
    "503, Unknown"
  })
  void everyAnswerHasAMeaning(int code, String result) throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gpuPod("train"));
    bench.fake.script(_ -> Optional.of(Scripted.of(code, "{\"message\": \"because\"}")));

    assertThat(evict(pod).getClass().getSimpleName()).isEqualTo(result);
  }

  /** As kube-apiserver answers, with the time after which to try again. */
  @Test
  void aPodDisruptionBudgetBlocksAtOnce() throws InterruptedException {
    WatchedPod pod = bench.create(Manifests.gpuPod("train"));
    AtomicInteger calls = new AtomicInteger();
    bench.fake.script(_ -> {
      calls.incrementAndGet();
      return Optional.of(
          Scripted.of(
              429,
              """
              {"kind": "Status", "reason": "TooManyRequests", "code": 429,
               "message": "Cannot evict pod as it would violate the pod's disruption budget.",
               "details": {"retryAfterSeconds": 10, "causes": [{"reason": "DisruptionBudget",
                 "message": "The disruption budget one needs 1 healthy pods and has 1 currently"}]}}
              """));
    });

    assertThat(evict(pod))
        .isInstanceOfSatisfying(
            EvictionResult.Blocked.class,
            blocked -> assertThat(blocked.why()).contains("disruption budget"));
    assertThat(calls).hasValue(1);
  }

  private EvictionResult evict(WatchedPod pod) throws InterruptedException {
    return Written.await(done -> writer.evict(pod, done));
  }
}
