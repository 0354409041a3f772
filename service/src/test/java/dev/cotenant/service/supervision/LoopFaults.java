package dev.cotenant.service.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.supervision.FakeProcess;
import dev.cotenant.admission.supervision.FakeProcess.Fate;
import dev.cotenant.admission.supervision.FakeProcess.Outcome;
import dev.cotenant.admission.supervision.Fault;
import java.time.Duration;

/** A fault in one loop of a process, and what has to become of it. */
public final class LoopFaults {
  /**
   * For a loop whose thread was killed; for one that hangs, from the end of its longest silence.
   */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final FakeProcess process;
  private final String loop;
  private final Fault fault;

  public LoopFaults(String loop, Fault.Kind kind) {
    this(new FakeProcess(), loop, kind);
  }

  /**
   * @param process whose supervisor runs the loop
   */
  public LoopFaults(FakeProcess process, String loop, Fault.Kind kind) {
    this.process = process;
    this.loop = loop;
    fault = new Fault(kind);
  }

  public FakeProcess process() {
    return process;
  }

  /** Goes wrong once, on the loop's own thread only. */
  public void strike() {
    if (Thread.currentThread().getName().equals(loop)) {
      fault.strike();
    }
  }

  /**
   * Waits for the fault; afterwards the loop works again or the process has ended.
   *
   * @param longestSilence after which a loop that hangs is stuck; zero where both are within the
   *     limit
   */
  public void assertHealed(Duration longestSilence) {
    Eventually.holds("the fault has struck", fault::hasStruck);
    if (fault.kind() != Fault.Kind.HANG) {
      Eventually.holds(
          "the loop is down",
          () -> process.supervisor.loops().stream().anyMatch(one -> !one.isAlive()));
    }
    Outcome outcome =
        process.heal(loop, fault.kind() == Fault.Kind.HANG ? longestSilence.plus(LIMIT) : LIMIT);

    assertThat(outcome.shownDown()).as("liveness says so meanwhile").isTrue();
    assertThat(outcome.fate())
        .isEqualTo(fault.kind().isOfTheMachine() ? Fate.PROCESS_ENDED : Fate.RESTARTED);
  }

  /** Whether the loop has to work again. */
  public boolean isSurvived() {
    return !fault.kind().isOfTheMachine();
  }
}
