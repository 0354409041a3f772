package dev.cotenant.admission.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cotenant.admission.guard.Incident.Move;
import dev.cotenant.admission.policy.GuardRules;
import dev.cotenant.admission.policy.GuardRules.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class GuardStateTest extends GuardSteps {
  @Test
  void findsWhatLastsOnce() {
    slowedFor("old", 1.5, 4);
    assertThat(found).isEmpty();
    slowedFor("old", 1.5, 20);

    assertThat(found).hasSize(1);
    Incident incident = found.getFirst();
    assertThat(incident.cause()).isEqualTo(new Incident.Cause("old", "new", Signal.SLOWDOWN));
    assertThat(incident.at()).isEqualTo(START.plus(Duration.ofMinutes(5)));
    assertThat(incident.move()).isEqualTo(Move.PLANNED);
    assertThat(guard.closed()).containsOnlyKeys("GPU-a");
    assertThat(guard.notes().pair("team-a/new 1", "team-a/old 1", now)).isPresent();
    assertThat(guard.planned()).hasSize(1);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"1.15", "1.16", "1.2"})
  void noiseIsNotFound(double value) {
    slowedFor("old", value, 60);

    assertThat(found).isEmpty();
    assertThat(guard.closed()).isEmpty();
  }

  @Test
  void aSingleGoodMinuteBeginsAnewAndNoiseProlongsNothing() {
    slowedFor("old", 1.5, 3);
    slowed("old", 1.0);
    now = now.plus(MINUTE);
    slowedFor("old", 1.5, 4);
    assertThat(found).as("good minutes between").isEmpty();

    now = now.plus(MINUTE);
    slowed("old", 1.18);
    now = now.plus(MINUTE);
    slowed("old", 1.18);
    assertThat(found).as("noise at the end").isEmpty();
    now = now.plus(MINUTE.multipliedBy(2));
    slowedFor("old", 1.5, 4);
    assertThat(found).as("noise for longer than samples may be apart").isEmpty();
    slowedFor("old", 1.5, 1);
    assertThat(found).hasSize(1);
  }

  @Test
  void opensOnlyOnceTheLimitIsKeptAsLong() {
    slowedFor("old", 1.5, 5);
    slowedFor("old", 1.18, 30);
    assertThat(guard.closed()).as("noise").isNotEmpty();
    slowedFor("old", 1.1, 4);
    assertThat(guard.closed()).isNotEmpty();
    slowedFor("old", 1.1, 1);
    assertThat(guard.closed()).isEmpty();
    assertThat(guard.planned()).as("an eviction that was not done").isEmpty();

    slowedFor("old", 1.5, 6);
    assertThat(guard.closed()).as("again").isNotEmpty();
    assertThat(found).as("once for each cause").hasSize(1);
  }

  @Test
  void staleRepeatedAndFutureSamplesDoNotCount() {
    Sample first = new Sample("old", Signal.SLOWDOWN, 1.5, 1.15, 0.05, START);
    for (int i = 0; i < 30; i++) {
      count(first);
      now = now.plus(MINUTE);
    }
    for (int i = 0; i < 30; i++) {
      count(new Sample("old", Signal.SLOWDOWN, 1.5, 1.15, 0.05, now.minus(MINUTE.multipliedBy(3))));
      count(new Sample("old", Signal.SLOWDOWN, 1.5, 1.15, 0.05, now.plus(MINUTE.multipliedBy(3))));
      now = now.plus(MINUTE);
    }

    assertThat(found).isEmpty();
  }

  @Test
  void aGapBeginsAnew() {
    slowedFor("old", 1.5, 4);
    now = now.plus(MINUTE.multipliedBy(3));
    slowed("old", 1.5);

    assertThat(found).isEmpty();
  }

  @Test
  void anotherNeighbourBeginsAnewAndIsAnotherCause() {
    slowedFor("old", 1.5, 5);
    tenants = Map.of("GPU-a", List.of(pod("old", 0), pod("new", 1), pod("third", 2)));
    slowedFor("old", 1.5, 4);
    assertThat(found).hasSize(1);
    slowedFor("old", 1.5, 1);

    assertThat(found)
        .extracting(incident -> incident.cause().newcomer())
        .containsExactly("new", "third");
    assertThat(guard.notes().pairs()).hasSize(2);
  }

  @Test
  void theNewcomerMovesWhereItSuffersItself() {
    slowedFor("new", 1.5, 5);

    assertThat(found.getFirst().cause())
        .isEqualTo(new Incident.Cause("new", "new", Signal.SLOWDOWN));
    assertThat(guard.notes().pair("team-a/old 1", "team-a/new 1", now)).isPresent();
  }

  @Test
  void forgetsAnIncidentOnceThePodsAreApartAndRemembersThePair() {
    slowedFor("old", 1.5, 5);
    tenants = Map.of("GPU-a", List.of(pod("old", 0)));
    slowed("old", 1.0);

    assertThat(guard.closed()).isEmpty();
    assertThat(guard.notes().incidents()).isEmpty();
    Instant end = START.plus(Duration.ofMinutes(5)).plus(GuardNotes.REMEMBERED);
    assertThat(guard.notes().pair("team-a/old 1", "team-a/new 1", end.minusSeconds(1))).isPresent();
    assertThat(guard.notes().pair("team-a/old 1", "team-a/new 1", end)).isEmpty();
    assertThat(guard.notes().pair("team-a/old 1", "team-a/other 1", now)).isEmpty();
  }

  @Test
  void aLeaderThatTakesOverDoesNotRepeatIt() {
    slowedFor("old", 1.5, 5);
    guard = GuardState.of(guard.notes());
    assertThat(guard.closed()).isNotEmpty();
    assertThat(guard.planned()).hasSize(1);
    slowedFor("old", 1.5, 30);

    assertThat(found).hasSize(1);
  }

  @Test
  void evictsWithinTheBudgetOfAnHour() {
    for (int i = 0; i < 4; i++) {
      tenants = Map.of("GPU-" + i, List.of(pod("old" + i, 0), pod("new" + i, 1)));
      slowedFor("old" + i, 1.5, 5);
    }
    assertThat(found)
        .extracting(Incident::move)
        .containsExactly(Move.PLANNED, Move.PLANNED, Move.OVER_BUDGET, Move.OVER_BUDGET);

    now = now.plus(Duration.ofHours(1));
    tenants = Map.of("GPU-z", List.of(pod("older", 0), pod("newer", 1)));
    slowedFor("older", 1.5, 5);
    assertThat(found.getLast().move()).isEqualTo(Move.PLANNED);
  }

  @Test
  void evictsAPodOnceHoweverManySuffer() {
    for (int i = 0; i <= 5; i++) {
      slowed("old", 1.5);
      slowed("new", 1.5);
      now = now.plus(MINUTE);
    }

    assertThat(found).extracting(Incident::move).containsExactly(Move.PLANNED, Move.ANOTHER);
    assertThat(guard.planned()).hasSize(1);
    assertThat(guard.notes().evictions()).hasSize(1);
    assertThat(guard.notes().pairs()).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(Signal.class)
  void noSignalMovesAPodOfAnotherNamespace(Signal signal) {
    tenants = Map.of("GPU-a", List.of(pod("old", 0), pod("new", "team-b", 1, true, ACT)));
    for (int i = 0; i <= 10; i++) {
      count(new Sample("old", signal, 40, 38, 0.01, now));
      now = now.plus(MINUTE);
    }

    assertThat(found).extracting(Incident::move).containsExactly(Move.STAYS);
    assertThat(guard.planned()).isEmpty();
    assertThat(guard.closed()).containsOnlyKeys("GPU-a");
  }

  @Test
  void evictsOnlyWhereAllAllowIt() {
    GuardRules observe = new GuardRules(Mode.OBSERVE, Duration.ofMinutes(5), 2);
    tenants = Map.of("GPU-a", List.of(pod("old", 0), pod("new", "team-a", 1, false, ACT)));
    slowedFor("old", 1.5, 5);
    tenants = Map.of("GPU-b", List.of(pod("old", 0), pod("newer", "team-a", 1, true, observe)));
    slowedFor("old", 1.5, 5);

    assertThat(found).extracting(Incident::move).containsExactly(Move.STAYS, Move.STAYS);
  }

  @Test
  void observesWithoutClosingAndRestsWhereItIsOff() {
    GuardRules observe = new GuardRules(Mode.OBSERVE, Duration.ofMinutes(5), 2);
    GuardRules off = new GuardRules(Mode.OFF, Duration.ofMinutes(5), 2);
    tenants =
        Map.of(
            "GPU-a", List.of(pod("old", "team-a", 0, true, observe), pod("new", 1)),
            "GPU-b", List.of(pod("rest", "team-b", 0, true, off), pod("next", 1)));
    for (int i = 0; i < 20; i++) {
      slowed("old", 1.5);
      slowed("rest", 9);
      now = now.plus(MINUTE);
    }

    assertThat(found).extracting(incident -> incident.cause().victim()).containsExactly("old");
    assertThat(guard.closed()).isEmpty();
    assertThat(guard.notes().pairs()).isEmpty();
    assertThat(guard.planned()).isEmpty();
  }

  @Test
  void aPodAloneAndAStrangerAreNotJudged() {
    tenants = Map.of("GPU-a", List.of(pod("old", 0)));
    slowedFor("old", 9, 10);
    slowedFor("stranger", 9, 10);

    assertThat(found).isEmpty();
  }

  @ParameterizedTest(name = "{0} {1} {2}")
  @CsvSource({
    "NaN, 1, 0, the value must be a number from 0 on",
    "-1, 1, 0, the value must be a number from 0 on",
    "Infinity, 1, 0, the value must be a number from 0 on",
    "1, 0, 0, the limit must be positive",
    "1, NaN, 0, the limit must be positive",
    "1, 1, -0.1, the dead band must be from 0 to 1",
    "1, 1, NaN, the dead band must be from 0 to 1"
  })
  void refusesAbsurdNumbers(double value, double limit, double deadBand, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Sample("old", Signal.SLOWDOWN, value, limit, deadBand, START))
        .withMessageStartingWith(why);
  }
}
