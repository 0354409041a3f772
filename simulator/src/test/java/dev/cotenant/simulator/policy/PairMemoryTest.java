package dev.cotenant.simulator.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.learning.quantile.Normal;
import dev.cotenant.simulator.policy.PairMemory.Member;
import java.util.List;
import org.junit.jupiter.api.Test;

class PairMemoryTest {
  private static final Member SMALL = new Member("small", 0.3);
  private static final Member LARGE = new Member("large", 0.8);
  private static final double LIMIT = 1.15;

  private final PairMemory memory = new PairMemory();

  private double risk(Member own, Member other) {
    return memory.risk(own, List.of(other), LIMIT);
  }

  @Test
  void withoutMeasurementsTheSumOfUtilizationsOrders() {
    double small = risk(SMALL, SMALL);
    assertThat(small).isBetween(0.05, 0.2);
    assertThat(risk(SMALL, LARGE)).isGreaterThan(small);
    assertThat(risk(LARGE, LARGE)).isGreaterThan(0.9);
    assertThat(memory.risk(SMALL, List.of(SMALL, SMALL, SMALL), LIMIT)).isGreaterThan(small);
  }

  @Test
  void aMeasuredPairIsKnown() {
    memory.recurs("small");
    memory.recurs("large");
    memory.remember(LARGE, SMALL, 0.99);
    memory.remember(SMALL, LARGE, 0.70);

    assertThat(risk(LARGE, SMALL)).isLessThan(0.01);
    assertThat(risk(SMALL, LARGE)).isGreaterThan(0.99);
  }

  @Test
  void aVictimOfSomeIsAVictimOfOthers() {
    Member third = new Member("third", 0.3);
    for (Member member : List.of(SMALL, LARGE, third)) {
      memory.recurs(member.configuration());
    }
    double before = risk(SMALL, third);
    memory.remember(SMALL, LARGE, 0.70);

    assertThat(risk(SMALL, third)).isGreaterThan(before);
  }

  /** One mean of n measurements, and n measurements one by one. */
  @Test
  void repetitionsNarrowTheEstimateOfAPair() {
    memory.recurs("small");
    double speed = 1 / 1.12;
    memory.remember(SMALL, SMALL, speed);
    double once = risk(SMALL, SMALL);
    for (int i = 0; i < 20; i++) {
      memory.remember(SMALL, SMALL, speed);
    }

    assertThat(once).isGreaterThan(0.05);
    assertThat(risk(SMALL, SMALL)).isLessThan(0.01);
  }

  @Test
  void aConfigurationThatCameOnceHasNoEffectOfItsOwn() {
    Member once = new Member("once", 0.3);
    double before = risk(once, SMALL);
    memory.remember(once, SMALL, 0.5);

    assertThat(risk(once, SMALL)).isEqualTo(risk(new Member("other", 0.3), SMALL));
    assertThat(risk(once, SMALL)).isGreaterThan(before);
  }

  /**
   * Deviations: shapes 0.1, effects 0.06, cells 0.08. The victim's effect counts once, those of two
   * different aggressors are independent, of two alike the same.
   */
  @Test
  void besideTwoTheVictimsEffectCountsOnce() {
    Member own = new Member("own", 0.1);
    Member one = new Member("one", 0.1);
    Member two = new Member("two", 0.1);
    double shapes = 0.01 * (0.2 * 0.2 + 2 * 0.02 * 0.02);
    double excess = -Math.log(LIMIT);

    assertThat(memory.risk(own, List.of(one, two), LIMIT))
        .isCloseTo(
            Normal.below(excess / Math.sqrt(shapes + 3 * 0.06 * 0.06 + 2 * 0.08 * 0.08)),
            within(1e-12));
    assertThat(memory.risk(own, List.of(one, one), LIMIT))
        .isCloseTo(
            Normal.below(excess / Math.sqrt(shapes + 5 * 0.06 * 0.06 + 4 * 0.08 * 0.08)),
            within(1e-12));
  }

  /** What was learned about a victim beside one is known beside two, and once. */
  @Test
  void learnedEffectsAreCorrelatedBesideTwo() {
    Member own = new Member("own", 0.1);
    List<Member> others = List.of(new Member("one", 0.1), new Member("two", 0.1));
    double before = memory.risk(own, others, LIMIT);
    memory.recurs("own");
    others.forEach(other -> memory.recurs(other.configuration()));

    assertThat(memory.risk(own, others, LIMIT)).isCloseTo(before, within(1e-12));
    others.forEach(other -> memory.remember(own, other, 1));
    assertThat(memory.risk(own, others, LIMIT)).isLessThan(before / 10);
  }
}
