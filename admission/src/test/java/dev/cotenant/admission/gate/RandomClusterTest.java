package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A hundred pods on each of many random clusters, placed at even seeds by a scheduler through the
 * extender. {@code -Dcotenant.gate.clusters=1000} sets the number of clusters.
 */
class RandomClusterTest {
  private static final int CLUSTERS = Integer.getInteger("cotenant.gate.clusters", 12);
  private static final int PODS = 100;

  /** Pods that run, and that run with GPUs of their own in the order of creation. */
  private record Running(int sharing, int exclusive) {}

  private static Running in(int seed) {
    ClusterRun run = new ClusterRun(seed);
    run.fill(PODS);
    int running = run.running();
    assertThatCode(
            () -> {
              run.verify();
              run.removeSome();
              run.verify();
            })
        .as("seed %d", seed)
        .doesNotThrowAnyException();
    return new Running(running, new ExclusiveRun(seed).running(PODS));
  }

  /**
   * Both orders are greedy and nobody knows the later pods, so that in a cluster short of cores
   * either may end a few pods behind the other.
   */
  @Test
  void neverLeavesAPodBesideIdleGpusAndRunsMorePodsThanExclusiveRequests() {
    List<Running> all =
        IntStream.range(0, CLUSTERS).parallel().mapToObj(RandomClusterTest::in).toList();

    assertThat(all)
        .allSatisfy(
            one -> assertThat(one.sharing).isGreaterThanOrEqualTo((int) (0.85 * one.exclusive)));
    assertThat(all.stream().filter(one -> one.sharing < one.exclusive))
        .hasSizeLessThanOrEqualTo(CLUSTERS / 10);
    assertThat(all.stream().mapToInt(Running::sharing).sum())
        .isGreaterThan((int) (1.05 * all.stream().mapToInt(Running::exclusive).sum()));
  }
}
