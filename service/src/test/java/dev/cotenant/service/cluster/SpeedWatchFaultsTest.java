package dev.cotenant.service.cluster;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.supervision.Fault;
import dev.cotenant.engine.risk.MeasuredSpeed;
import dev.cotenant.engine.risk.SpeedMemory;
import dev.cotenant.engine.risk.SpeedStore;
import dev.cotenant.service.supervision.LoopFaults;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SpeedWatchFaultsTest {
  private static final SpeedStore NONE =
      new SpeedStore() {
        @Override
        public void add(List<MeasuredSpeed> rows) {
          throw new AssertionError("nothing is measured");
        }

        @Override
        public Map<String, Long> newest() {
          return Map.of();
        }

        @Override
        public List<MeasuredSpeed> of(String namespace) {
          return List.of();
        }
      };

  @ParameterizedTest
  @EnumSource
  void isHealedOrEndsTheProcess(Fault.Kind kind) {
    LoopFaults faults = new LoopFaults("pod-metrics", kind);
    AtomicInteger looks = new AtomicInteger();
    InstantSource clock = InstantSource.system();
    try (SpeedWatch watch =
        new SpeedWatch(
            SpeedWatch.ValueReader.NONE,
            new SpeedQueries(),
            () -> {
              faults.strike();
              looks.incrementAndGet();
              return GateView.NOT_LEADING;
            },
            new SpeedReports(GateView.NOT_LEADING::cluster, NONE, clock, _ -> {}),
            new GuardSamples(
                () -> GateView.NOT_LEADING, new SpeedMemory(NONE, clock), samples -> {}),
            new SimpleMeterRegistry(),
            clock)) {
      watch.start(Duration.ofMillis(5), faults.process().supervisor);

      faults.assertHealed(Duration.ofMinutes(5));
      if (faults.isSurvived()) {
        int before = looks.get();
        Eventually.holds("it looks again", () -> looks.get() > before + 1);
      }
    }
  }
}
