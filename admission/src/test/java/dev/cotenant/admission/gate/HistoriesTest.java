package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.history.History;
import dev.cotenant.admission.history.Linearizability;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Callers on threads of their own who reserve, are granted, confirm and release at the same time,
 * while time passes, replicas lose the Lease and writes are lost or late: every history of answers
 * has one order that explains it, and what is stored at the end is part of it.
 *
 * <p>{@code -Dcotenant.histories=10000} sets how many of each world.
 */
class HistoriesTest {
  private static final int RUNS = Integer.getInteger("cotenant.histories", 200);
  private static final int CALLERS = 3;
  private static final int CALLS = 6;
  private static final int DISTURBANCES = 3;

  @Test
  void everyHistoryOfOneProcessHasAnOrder() throws Exception {
    run(seed -> new OneProcess());
  }

  @Test
  void everyHistoryOfReplicasWhoLoseTheLeaseHasAnOrder() throws Exception {
    run(TwoReplicas::new);
  }

  private static void run(IntFunction<HistoryWorld> worlds) throws Exception {
    Map<String, Integer> made = new HashMap<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(CALLERS + 1)) {
      for (int seed = 0; seed < RUNS; seed++) {
        try (HistoryWorld world = worlds.apply(seed)) {
          List<History.Entry> history = history(world, seed, threads);
          assertThat(Linearizability.explains(history, HistoryWorld.GPUS))
              .as("an order of history %d: %s", seed, history)
              .isTrue();
          history.forEach(
              one -> made.merge(one.call().getClass().getSimpleName(), 1, Integer::sum));
        }
      }
    }
    System.out.println(RUNS + " histories: " + made);
    // Histories in which nothing happens would prove nothing.
    assertThat(made).containsKeys("Granted", "Bound", "NotBound", "Ended");
    assertThat(made.getOrDefault("Granted", 0)).as("grants").isGreaterThan(RUNS);
    assertThat(made.keySet()).as("refusals").anyMatch(name -> name.startsWith("Refused"));
  }

  private static List<History.Entry> history(HistoryWorld world, int seed, ExecutorService threads)
      throws InterruptedException, ExecutionException {
    CountDownLatch start = new CountDownLatch(1);
    List<Future<?>> running =
        IntStream.rangeClosed(0, CALLERS)
            .<Future<?>>mapToObj(caller ->
                threads.submit(() -> {
                  Random random = new Random(31L * seed + caller);
                  start.await();
                  for (int i = 0; i < (caller == 0 ? DISTURBANCES : CALLS); i++) {
                    if (caller == 0) {
                      world.disturb(random);
                    } else {
                      world.call("caller-" + caller + "-" + i, random);
                    }
                  }
                  return null;
                }))
            .toList();
    start.countDown();
    for (Future<?> one : running) {
      one.get();
    }
    world.end();
    return world.history.entries();
  }
}
