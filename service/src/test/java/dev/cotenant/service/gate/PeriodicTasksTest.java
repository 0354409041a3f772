package dev.cotenant.service.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.supervision.FakeProcess;
import dev.cotenant.admission.supervision.Fault;
import dev.cotenant.service.supervision.LoopFaults;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PeriodicTasksTest {
  private final AtomicInteger tasks = new AtomicInteger();
  private final AtomicInteger chores = new AtomicInteger();

  @ParameterizedTest
  @EnumSource
  void areHealedOrEndTheProcess(Fault.Kind kind) {
    LoopFaults faults = new LoopFaults("gate-housekeeping", kind);
    PeriodicTasks looks = new PeriodicTasks(Duration.ofMillis(5), tasks::incrementAndGet);
    looks.add(faults::strike);
    looks.add(chores::incrementAndGet);
    looks.start(faults.process().supervisor);

    faults.assertHealed(Duration.ofMinutes(2));
    if (faults.isSurvived()) {
      Eventually.holds("they go on", () -> chores.get() > 2);
    }
    looks.stop();
  }

  @Test
  void doChoresAtEverySixthLookAndGoOnAfterADefect() {
    FakeProcess process = new FakeProcess();
    PeriodicTasks looks = new PeriodicTasks(Duration.ofMillis(5), tasks::incrementAndGet);
    looks.add(() -> {
      throw new IllegalStateException("made up");
    });
    looks.add(chores::incrementAndGet);
    looks.start(process.supervisor);
    Eventually.holds("chores are done", () -> chores.get() > 1);
    looks.stop();

    assertThat(tasks.get()).isGreaterThanOrEqualTo(6 * chores.get());
    assertThat(process.supervisor.restarts("gate-housekeeping")).isZero();
  }
}
