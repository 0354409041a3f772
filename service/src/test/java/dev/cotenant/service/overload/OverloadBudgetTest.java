package dev.cotenant.service.overload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.service.overload.OverloadBudget.Charge;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class OverloadBudgetTest {
  private static final int LIMIT = 4 << 20;
  private static final int LARGE_LIMIT = 3 << 20;

  private final OverloadBudget budget = new OverloadBudget(LIMIT);

  @Test
  void takesUpToTheLimitAndReturnsAll() {
    Charge charge = budget.open();
    assertThat(charge.grow(LARGE_LIMIT)).isTrue();
    assertThat(charge.grow(1)).isFalse();
    assertThat(budget.inFlight()).isEqualTo(LARGE_LIMIT);
    charge.close();
    charge.close();
    assertThat(budget.inFlight()).isZero();
    assertThat(charge.grow(1)).isFalse();
    assertThat(budget.inFlight()).isZero();
  }

  @Test
  void reservesAQuarterForSmallBodies() {
    Charge large = budget.open();
    assertThat(large.grow(LARGE_LIMIT)).isTrue();
    assertThat(budget.open().grow(OverloadBudget.SMALL_BYTES + 1)).isFalse();
    for (int i = 0; i < 4; i++) {
      assertThat(budget.open().grow(OverloadBudget.SMALL_BYTES)).isTrue();
    }
    assertThat(budget.inFlight()).isEqualTo(LIMIT);
    assertThat(budget.open().grow(1)).isFalse();
  }

  @Test
  void onePeerHoldsHalfAtMost() {
    Charge first = budget.open("10.0.0.1");
    assertThat(first.grow(LARGE_LIMIT / 2)).isTrue();
    assertThat(budget.open("10.0.0.1").grow(LARGE_LIMIT / 2)).isFalse();
    assertThat(budget.open("10.0.0.2").grow(LARGE_LIMIT / 2)).isTrue();
    first.close();
    assertThat(budget.open("10.0.0.1").grow(LARGE_LIMIT / 2)).isTrue();
  }

  @Test
  void aBodyThatGrowsBeyondSmallLosesTheReserve() {
    assertThat(budget.open().grow(LARGE_LIMIT)).isTrue();
    Charge growing = budget.open();
    assertThat(growing.grow(OverloadBudget.SMALL_BYTES)).isTrue();
    assertThat(growing.grow(1)).isFalse();
  }

  @Test
  void countsStructureApartFromLength() {
    byte[] dense = "{\"a\":[[],[]]}".getBytes(StandardCharsets.UTF_8);
    Charge charge = budget.open();
    assertThat(charge.receive(dense.length)).isTrue();
    assertThat(charge.read(dense, 0, dense.length)).isTrue();
    assertThat(budget.inFlight())
        .isEqualTo(3L * dense.length + 6L * HeapEstimate.BYTES_PER_MARK); // { : [ [ , [
  }

  @Test
  void refusesMoreThanALongHolds() {
    assertThat(budget.open().grow(1)).isTrue();
    assertThat(budget.open().grow(Long.MAX_VALUE)).isFalse();
  }

  @Test
  void isNeverBeyondItsLimitAndEmptyAtTheEnd() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    Charge standing = budget.open();
    assertThat(standing.grow(LIMIT / 2)).isTrue(); // so that one thread alone meets the limit
    try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
      Future<Long> most =
          threads.submit(() -> {
            long seen = 0;
            do {
              seen = Math.max(seen, budget.inFlight());
            } while (!done.get());
            return seen;
          });
      List<Future<Integer>> workers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        workers.add(threads.submit(requests(i)));
      }
      int refused = 0;
      for (Future<Integer> worker : workers) {
        refused += worker.get();
      }
      done.set(true);
      assertThat(most.get()).isPositive().isLessThanOrEqualTo(LIMIT);
      assertThat(refused).isPositive();
    }
    standing.close();
    assertThat(budget.inFlight()).isZero();
  }

  /** Requests that grow by random steps, of which some are closed by another thread meanwhile. */
  private Callable<Integer> requests(int seed) {
    return () -> {
      Random random = new Random(seed);
      int refused = 0;
      for (int i = 0; i < 2_000; i++) {
        Charge charge = budget.open();
        Thread cut = random.nextInt(10) == 0 ? Thread.startVirtualThread(charge::close) : null;
        for (int step = random.nextInt(20); step > 0; step--) {
          refused += charge.grow(random.nextInt(200_000)) ? 0 : 1;
        }
        charge.close();
        if (cut != null) {
          cut.join();
        }
      }
      return refused;
    };
  }
}
