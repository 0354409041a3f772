package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Servers of language models start one after the other on a GPU. */
class StartingEnginesTest {
  private static final Duration STEP = Duration.ofSeconds(10);

  private final GateBench bench = new GateBench(1);

  @Test
  void theNextServerWaitsUntilTheMemoryOfTheLastHasSettled() {
    bench.lead();
    StoredPod first = bench.holdServer("first", "resnet50");
    StoredPod second = bench.holdServer("second", "resnet50");
    assertThat(GateBench.gpu(first)).isNotNull();
    assertThat(bench.codes(second)).contains("EngineStarting");
    assertThat(bench.reasons(second).getFirst().sentence())
        .contains("server team-a/first has not started, granted 0 s ago", "600 s");

    bench.measure();
    bench.start(first);
    for (int i = 0; i < 6; i++) {
      bench.later(STEP);
      assertThat(GateBench.gpu(second)).as("%d s after the start", 10 * (i + 1)).isNull();
    }
    bench.later(STEP);

    assertThat(GateBench.gpu(second)).isEqualTo(GateBench.gpu(first));
  }

  /** What it declares is reserved; what it takes is less, and settles. */
  @Test
  void theMemoryOfAServerThatDeclaresMoreThanItTakesSettles() {
    bench.lead();
    StoredPod first = bench.holdServer("first", "resnet50", MemorySize.ofGiB(20));
    first.usesMebibytes = 2_100;
    StoredPod second = bench.holdServer("second", "resnet50");
    bench.start(first);

    later(8);

    assertThat(GateBench.gpu(second)).isEqualTo(GateBench.gpu(first));
  }

  /** A product may hold it to what it declares, however much it would take. */
  @Test
  void theMemoryOfAServerThatTakesWhatItDeclaresSettles() {
    bench.lead();
    StoredPod first = bench.holdServer("first", "resnet50", MemorySize.ofGiB(1));
    first.usesMebibytes = 1_000;
    StoredPod second = bench.holdServer("second", "resnet50");
    bench.start(first);

    later(8);

    assertThat(GateBench.gpu(second)).isEqualTo(GateBench.gpu(first));
  }

  /** Its grant is read from annotations, which have the bound alone. */
  @Test
  void aNewLeaderKnowsWhatAServerTakes() {
    bench.lead();
    StoredPod first = bench.holdServer("first", "resnet50", MemorySize.ofGiB(20));
    first.usesMebibytes = 2_100;
    bench.start(first);
    StoredPod second = bench.holdServer("second", "resnet50");

    bench.lead();
    later(8);

    assertThat(GateBench.gpu(second)).isEqualTo(GateBench.gpu(first));
  }

  /** All of its memory is in the samples: its grant does not count beside them. */
  @Test
  void theGrantOfAServerThatServesDoesNotCountBesideItsUsedMemory() {
    bench.lead();
    StoredPod first = bench.holdServer("first", "resnet50", MemorySize.ofGiB(16));
    first.usesMebibytes = 15 * 1024;
    StoredPod second = bench.holdServer("second", "resnet50", MemorySize.ofGiB(16));
    bench.start(first);
    bench.later(STEP);
    serves(first, bench.now);
    assertThat(bench.codes(second)).contains("MemoryForecastExceeded");

    bench.later(STEP);

    assertThat(GateBench.gpu(second)).isEqualTo(GateBench.gpu(first));
  }

  /** Another job on the GPU keeps its memory from settling. */
  @Test
  void aServerThatServesIsNotWaitedFor() {
    bench.lead();
    StoredPod first = bench.holdServer("first", "resnet50");
    StoredPod second = bench.holdServer("second", "resnet50");
    bench.later(STEP);
    serves(first, bench.now); // of a pod before it, with its name
    bench.later(STEP);
    bench.start(first);
    serves(first, bench.now.minus(STEP));
    assertThat(GateBench.gpu(second)).isNull();

    serves(first, bench.now);

    assertThat(GateBench.gpu(second)).isEqualTo(GateBench.gpu(first));
  }

  private void serves(StoredPod pod, Instant at) {
    bench.controller().serving(Map.of(pod.uid, at));
    bench.settle();
  }

  private void later(int steps) {
    for (int i = 0; i < steps; i++) {
      bench.later(STEP);
    }
  }

  @Test
  void otherPodsDoNotWait() {
    bench.lead();
    StoredPod server = bench.holdServer("server", "resnet50");

    StoredPod job = bench.hold("job", "densenet121", 8);

    assertThat(GateBench.gpu(job)).isEqualTo(GateBench.gpu(server));
  }

  @Test
  void aServerThatNeverStartsIsWaitedForUntilTheTimeout() {
    bench.lead();
    bench.holdServer("first", "resnet50");
    StoredPod second = bench.holdServer("second", "resnet50");

    bench.later(Duration.ofMinutes(9));
    assertThat(GateBench.gpu(second)).isNull();
    bench.later(Duration.ofMinutes(1));

    assertThat(GateBench.gpu(second)).isNotNull();
  }

  @Test
  void aServerThatEndsIsNotWaitedFor() {
    bench.lead();
    StoredPod first = bench.holdServer("first", "resnet50");
    StoredPod second = bench.holdServer("second", "resnet50");

    bench.remove(first);

    assertThat(GateBench.gpu(second)).isNotNull();
  }

  @Test
  void aNewLeaderWaitsForAServerThatStarts() {
    bench.lead();
    StoredPod first = bench.holdServer("first", "resnet50");
    bench.start(first);
    StoredPod second = bench.holdServer("second", "resnet50");
    bench.later(STEP);

    bench.lead();

    assertThat(bench.codes(second)).contains("EngineStarting");
    assertThat(GateBench.gpu(second)).isNull();
  }
}
