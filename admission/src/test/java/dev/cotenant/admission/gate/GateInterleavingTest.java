package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

/**
 * Random interleavings of creation, deletion, restarts, leader changes, lost and late answers,
 * late, repeated and reordered news, gaps in measurements, and reservations by callers that ask
 * whichever replica answers, one that has lost the Lease as well; each is repeated by its seed.
 *
 * <p>{@code -Dcotenant.gate.runs=10000} sets how many, {@code -Dcotenant.gate.seed=17} the first.
 */
class GateInterleavingTest {
  private static final int RUNS = Integer.getInteger("cotenant.gate.runs", 300);
  private static final int FIRST = Integer.getInteger("cotenant.gate.seed", 0);

  @Test
  void neverGrantsTooMuchForgetsNobodyAndKeepsItsWord() {
    int grants = 0;
    int refusals = 0;
    int terms = 0;
    int reserved = 0;
    int found = 0;
    for (int seed = FIRST; seed < FIRST + RUNS; seed++) {
      Interleaving run = new Interleaving(seed);
      assertThatCode(run::run).as("seed %d", seed).doesNotThrowAnyException();
      grants += run.grants;
      refusals += run.refusals;
      terms += run.terms;
      reserved += run.acknowledged.made;
      found += run.acknowledged.found;
    }
    // Runs in which nothing happens would prove nothing.
    assertThat(grants).as("grants").isGreaterThan(10 * RUNS);
    assertThat(refusals).as("refusals that were checked").isGreaterThan(RUNS);
    assertThat(terms).as("terms").isGreaterThan(3 * RUNS);
    assertThat(reserved).as("acknowledged reservations").isGreaterThan(RUNS / 2);
    assertThat(found).as("reservations that a leader was asked for again").isGreaterThan(RUNS / 10);
  }
}
