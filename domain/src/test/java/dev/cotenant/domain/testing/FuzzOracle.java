package dev.cotenant.domain.testing;

import dev.cotenant.domain.InputException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

/**
 * What a parser may do with any input: return, or refuse it by an {@link InputException} that says
 * why, in 10 seconds of processor time, beyond what a cold start takes. Whatever else comes out is
 * a finding.
 */
public final class FuzzOracle {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private FuzzOracle() {}

  /**
   * Runs a parser on an input.
   *
   * @throws AssertionError where it refuses without a reason, or takes too long
   */
  public static void check(Runnable parser) {
    long start = THREADS.getCurrentThreadCpuTime();
    try {
      parser.run();
    } catch (InputException expected) {
      if (String.valueOf(expected.getMessage()).isBlank()) {
        throw new AssertionError("no reason", expected);
      }
    }
    Duration taken = Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - start);
    if (taken.compareTo(LIMIT) > 0) {
      throw new AssertionError("took " + taken.toMillis() + " ms of processor time");
    }
  }
}
