package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.gate.port.GateListener;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.MemoryCorrection;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.state.LeaderStateSaver;
import dev.cotenant.admission.supervision.FakeProcess;
import dev.cotenant.admission.supervision.Fault;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.time.Duration;
import java.time.Instant;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GateLoopTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  private final FakeGpus gpus = new FakeGpus(Map.of("n1", List.of("GPU-a")));
  private final AtomicInteger passes = new AtomicInteger();
  private final AtomicInteger failures = new AtomicInteger();
  private final GateListener listener =
      new GateListener() {
        @Override
        public void cycled(Duration took) {
          passes.incrementAndGet();
        }

        @Override
        public void failed(RuntimeException defect) {
          failures.incrementAndGet();
        }
      };
  private final FakeProcess process = new FakeProcess();
  private final GateLoop loop =
      new GateLoop(
          new GatePorts(
              () -> gpus.measure(NOW, List.of(), Set.of()),
              new FakePredictor(),
              new SharingDecider(FallbackInterferenceModel.builtIn()),
              new Replica.Nowhere(),
              LeaderStateSaver.NONE,
              () -> Policies.of(Policy.DEFAULT),
              _ -> true,
              _ -> DeviceCatalogue.builtIn().find("a100-40gb"),
              MemoryCorrection.NONE,
              listener,
              () -> NOW),
          GateSettings.DEFAULT,
          process.supervisor);

  @AfterEach
  void end() {
    loop.close();
  }

  @Test
  void publishesAViewOnceItLeads() throws Exception {
    assertThat(loop.view().isReady()).isFalse();

    loop.begin(1, List.of(), gpus.nodes());

    assertThat(loop.call(GateController::runCycle).get(1, TimeUnit.MINUTES)).isPositive();
    assertThat(loop.view().isReady()).isTrue();
    assertThat(loop.view().cluster().gpus()).hasSize(1);
    loop.end(1);
    loop.call(GateController::view).get(1, TimeUnit.MINUTES);
    assertThat(loop.view()).isEqualTo(GateView.NOT_LEADING);
  }

  @Test
  void makesOnePassForAllMessagesThatCameMeanwhile() throws Exception {
    loop.begin(1, List.of(), gpus.nodes());
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    var busy =
        loop.call(_ -> {
          entered.countDown();
          return await(go);
        });
    entered.await();
    int before = passes.get();
    for (int i = 0; i < 100; i++) {
      loop.readingsRefreshed();
    }
    go.countDown();
    busy.get(1, TimeUnit.MINUTES);
    loop.call(GateController::view).get(1, TimeUnit.MINUTES);

    // One after the question, one after the hundred, perhaps one before the last question.
    assertThat(passes.get() - before).isLessThanOrEqualTo(3);
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void countsDefectsAndGoesOn() throws Exception {
    WatchedNode node = gpus.nodes().getFirst();
    loop.begin(1, List.of(), unreadable(node));

    loop.begin(2, List.of(), gpus.nodes());
    loop.call(GateController::view).get(1, TimeUnit.MINUTES);

    assertThat(failures.get()).isGreaterThanOrEqualTo(1);
    loop.call(GateController::view).get(1, TimeUnit.MINUTES);
    assertThat(loop.view().term()).isEqualTo(2);
  }

  /** A collection that cannot be read, as no caller's should be. */
  private static List<WatchedNode> unreadable(WatchedNode node) {
    return new AbstractList<>() {
      @Override
      public WatchedNode get(int index) {
        throw new IllegalStateException("cannot read " + node.name());
      }

      @Override
      public int size() {
        return 1;
      }
    };
  }

  @Test
  void tellsWhoeverAsksWhatWentWrong() {
    var answer =
        loop.call(_ -> {
          throw new IllegalStateException("no");
        });

    assertThatThrownBy(() -> answer.get(1, TimeUnit.MINUTES))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("no");
    assertThat(failures.get()).isZero();
  }

  /** A message may be half done, so that nobody knows what the ledger is worth. */
  @ParameterizedTest
  @EnumSource
  void endsTheProcessOnEveryFault(Fault.Kind kind) throws Exception {
    Fault fault = new Fault(kind);
    var _ =
        loop.call(_ -> {
          fault.strike();
          return true;
        });
    eventually(fault::hasStruck);
    if (kind != Fault.Kind.HANG) {
      eventually(() -> !process.lastWords().isEmpty());
    }

    FakeProcess.Outcome outcome = process.heal("gate-controller", Duration.ofSeconds(30));
    assertThat(outcome.fate()).isEqualTo(FakeProcess.Fate.PROCESS_ENDED);
    assertThat(outcome.shownDown()).isTrue();
    assertThat(process.lastWords()).singleElement().asString().contains("'gate-controller'");
  }

  @Test
  void isNotSilentWhileThereIsNothingToDo() throws Exception {
    loop.call(GateController::runCycle).get(1, TimeUnit.MINUTES);
    eventually(() -> FakeProcess.isWaiting("gate-controller"));
    process.pass(Duration.ofSeconds(50));

    assertThat(process.lastWords()).isEmpty();
  }

  private static void eventually(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("within a minute").isLessThan(end);
      Thread.sleep(5);
    }
  }
}
