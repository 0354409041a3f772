package dev.cotenant.service.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.supervision.FakeProcess;
import dev.cotenant.admission.supervision.Fault;
import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponse.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopsLiveTest {
  private final FakeProcess process = new FakeProcess();
  private final LoopsLive live = new LoopsLive(process.supervisor);
  private final CountDownLatch never = new CountDownLatch(1);

  @AfterEach
  void close() {
    process.supervisor.close();
  }

  private void waitForEver(Heartbeat heart) throws InterruptedException {
    heart.beatBefore(Duration.ofDays(1));
    never.await();
  }

  private static Map<String, Object> data(HealthCheckResponse answer) {
    return answer.getData().orElse(Map.of());
  }

  @Test
  void isUpWhileEveryLoopBeats() {
    process.supervisor.start(LoopPlan.restarted("idle", Duration.ofSeconds(20)), this::waitForEver);

    assertThat(live.call().getStatus()).isEqualTo(Status.UP);
    assertThat(live.call().getName()).isEqualTo("loops");
    assertThat(data(live.call())).isEmpty();
  }

  @Test
  void isDownWithNameAndAgeWhileALoopIsDeadAndUpOnceItRunsAgain() {
    Fault fault = new Fault(Fault.Kind.LINKAGE);
    process.supervisor.start(
        LoopPlan.restarted("broken", Duration.ofSeconds(20)),
        heart -> {
          fault.strike();
          waitForEver(heart);
        });
    Eventually.holds("it is down", () -> live.call().getStatus() == Status.DOWN);
    assertThat(data(live.call())).containsExactly(Map.entry("broken", "dead, silent for 0 s"));

    Eventually.holds(
        "it is healed",
        () -> {
          process.pass(Duration.ofSeconds(1));
          return live.call().getStatus() == Status.UP;
        });
    assertThat(process.supervisor.restarts("broken")).isEqualTo(1);
  }

  @Test
  void isDownWhileALoopIsStuck() {
    CountDownLatch entered = new CountDownLatch(1);
    process.supervisor.start(
        LoopPlan.vital("hanging", Duration.ofSeconds(20)),
        _ -> {
          entered.countDown();
          never.await();
        });
    Eventually.holds("it hangs", () -> entered.getCount() == 0);
    process.pass(Duration.ofSeconds(21));

    assertThat(live.call().getStatus()).isEqualTo(Status.DOWN);
    assertThat(data(live.call())).containsExactly(Map.entry("hanging", "stuck, silent for 21 s"));
  }

  @Test
  void isDownWhileTheWatchdogIsStuck() {
    process.passUnwatched(LoopsLive.WATCHDOG_AT_MOST);
    assertThat(live.call().getStatus()).isEqualTo(Status.UP);
    process.passUnwatched(Duration.ofSeconds(1));

    assertThat(live.call().getStatus()).isEqualTo(Status.DOWN);
    assertThat(data(live.call())).containsExactly(Map.entry("watchdog", "stuck, silent for 11 s"));
  }

  @Test
  void metricsShowHeartbeatsAndRestarts() {
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    LoopMetrics metrics = new LoopMetrics(meters);
    metrics.show(process.supervisor);
    metrics.started("idle");
    var age = meters.get("cotenant.loop.heartbeat.age.seconds").tag("loop", "idle").gauge();
    assertThat(age.value()).as("of a loop that does not run").isNaN();
    CountDownLatch entered = new CountDownLatch(1);
    Loop loop =
        process.supervisor.start(
            LoopPlan.restarted("idle", Duration.ofSeconds(20)),
            _ -> {
              entered.countDown();
              never.await();
            });
    Eventually.holds("it waits", () -> entered.getCount() == 0);
    process.pass(Duration.ofSeconds(5));

    assertThat(age.value()).isEqualTo(5);
    assertThat(meters.get("cotenant.loop.restarts").tag("loop", "idle").functionCounter().count())
        .isZero();
    assertThat(meters.get("cotenant.watchdog.age.seconds").gauge().value()).isZero();
    loop.close();
  }

  @Test
  void exhaustedMemoryInAnyThreadEndsTheProcessButNotTheStackOfOneRequest() {
    Thread.UncaughtExceptionHandler handler = MachineErrors.handler(process.supervisor);
    handler.uncaughtException(Thread.currentThread(), new IllegalStateException("made up"));
    handler.uncaughtException(Thread.currentThread(), new StackOverflowError("made up"));
    assertThat(process.lastWords()).isEmpty();
    handler.uncaughtException(Thread.currentThread(), new OutOfMemoryError("made up"));

    assertThat(process.lastWords())
        .containsExactly("cotenant: the Java runtime has failed, so the process ends\n");
  }
}
