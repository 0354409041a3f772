package dev.cotenant.service.lifecycle;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.supervision.Fault;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.engine.lifecycle.BaseModel;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.engine.lifecycle.Trainings;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.service.supervision.LoopFaults;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The two loops of the life cycle fail in every way: each is healed or the process ends. */
class LifeCycleFaultsTest {
  private final FakeModelStore store = new FakeModelStore();
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicInteger trainings = new AtomicInteger();

  private LifeCyclePoller poller(LoopFaults faults) {
    Serving serving =
        new Serving(
            store, BaseModel.Reader.STANDARD, Predictor.builtInFile(), InstantSource.system());
    InstantSource askedByTrainings =
        () -> {
          faults.strike();
          trainings.incrementAndGet();
          return Instant.now();
        };
    return new LifeCyclePoller(
        serving,
        new Trainings(store, serving, DeviceCatalogue::builtIn, "replica", askedByTrainings),
        new LifeCyclePoller.Chores(List.of(faults::strike, looks::incrementAndGet)),
        new SimpleMeterRegistry());
  }

  @ParameterizedTest
  @EnumSource
  void lookingAtTheStore(Fault.Kind kind) {
    LoopFaults faults = new LoopFaults("life-cycle", kind);
    try (LifeCyclePoller poller = poller(faults)) {
      poller.start(Duration.ofMillis(5), faults.process().supervisor);
      faults.assertHealed(Duration.ofMinutes(5));
      if (faults.isSurvived()) {
        int before = looks.get();
        Eventually.holds("it looks again", () -> looks.get() > before + 1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void training(Fault.Kind kind) {
    LoopFaults faults = new LoopFaults("training", kind);
    try (LifeCyclePoller poller = poller(faults)) {
      poller.start(Duration.ofMillis(5), faults.process().supervisor);
      faults.assertHealed(Duration.ofMinutes(30));
      if (faults.isSurvived()) {
        int before = trainings.get();
        Eventually.holds("it trains again", () -> trainings.get() > before + 1);
      }
    }
  }
}
