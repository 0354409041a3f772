package dev.cotenant.admission.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.guard.Incident.Move;
import dev.cotenant.admission.policy.GuardRules;
import dev.cotenant.admission.policy.GuardRules.Mode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Evictions follow fresh samples, policies as they are now, and budgets. */
class GuardEvictionTest extends GuardSteps {
  private boolean isConfirmed() {
    return guard.planned().stream()
        .anyMatch(one -> guard.isConfirmed(one, tenants.getOrDefault(one.gpu(), List.of()), now));
  }

  @Test
  void anEvictionNeedsFreshSamplesBesideTheSamePods() {
    slowedFor("old", 1.5, 5);
    assertThat(isConfirmed()).isTrue();
    Map<String, List<GuardedPod>> two = tenants;
    tenants = Map.of("GPU-a", List.of(pod("old", 0), pod("new", 1), pod("third", 2)));
    assertThat(isConfirmed()).as("another pod came").isFalse();
    tenants = Map.of("GPU-a", List.of(pod("old", 0), pod("new", "team-a", 1, false, ACT)));
    assertThat(isConfirmed()).as("the annotation was removed").isFalse();
    GuardRules observe = new GuardRules(Mode.OBSERVE, Duration.ofMinutes(5), 2);
    tenants = Map.of("GPU-a", List.of(pod("old", "team-a", 0, true, observe), pod("new", 1)));
    assertThat(isConfirmed()).as("the policy changed").isFalse();
    tenants = two;
    assertThat(isConfirmed()).isTrue();
    now = now.plus(GuardState.FRESH);
    assertThat(isConfirmed()).as("stale").isFalse();
    slowedFor("old", 1.5, 5);
    assertThat(isConfirmed()).isTrue();
    slowed("old", 1.0);
    assertThat(isConfirmed()).as("kept").isFalse();
    assertThat(guard.notes().evictions()).as("counted once").hasSize(1);
  }

  @Test
  void aLaterLeaderEvictsOnlyOnSamplesOfItsOwn() {
    slowedFor("old", 1.5, 5);
    guard = GuardState.of(guard.notes());
    assertThat(guard.planned()).hasSize(1);
    assertThat(isConfirmed()).isFalse();
    slowedFor("old", 1.5, 4);
    assertThat(isConfirmed()).isFalse();
    slowedFor("old", 1.5, 1);
    assertThat(isConfirmed()).isTrue();
  }

  @Test
  void aClosedGpuOpensWithoutSamples() {
    slowedFor("old", 1.5, 5);
    guard = GuardState.of(guard.notes());
    for (int i = 0; i < 15; i++) {
      guard = guard.step(List.of(), tenants, now).next();
      now = now.plus(MINUTE);
    }
    assertThat(guard.closed()).isNotEmpty();
    now = now.plus(MINUTE);
    guard = guard.step(List.of(), tenants, now).next();
    assertThat(guard.closed()).isEmpty();
    assertThat(guard.notes().incidents()).as("reported once").hasSize(1);

    slowedFor("old", 1.5, 5);
    assertThat(guard.closed()).isNotEmpty();
    assertThat(found).hasSize(1);
  }

  @Test
  void modeOffDropsWhatStands() {
    slowedFor("old", 1.5, 5);
    GuardRules off = new GuardRules(Mode.OFF, Duration.ofMinutes(5), 2);
    tenants = Map.of("GPU-a", List.of(pod("old", "team-a", 0, true, off), pod("new", 1)));
    guard = guard.step(List.of(), tenants, now).next();

    assertThat(guard.closed()).isEmpty();
    assertThat(guard.notes().incidents()).isEmpty();
  }

  @Test
  void aPodThatHasNotStartedIsNoNeighbour() {
    GuardedPod starting =
        new GuardedPod("starting", "team-a", "team-a/starting 1", now, null, true, ACT);
    tenants = Map.of("GPU-a", List.of(pod("old", 0), starting));
    slowedFor("old", 1.5, 10);
    assertThat(found).isEmpty();

    tenants = Map.of("GPU-a", List.of(pod("old", 3), pod("new", 1), starting));
    slowedFor("old", 1.5, 5);
    assertThat(found.getFirst().cause().newcomer()).as("granted last").isEqualTo("old");
  }

  @Test
  void aRestartedVictimIsNoNewcomer() {
    GuardedPod restarted =
        new GuardedPod(
            "old", "team-a", "team-a/old 1", START.minus(Duration.ofHours(2)), START, true, ACT);
    tenants = Map.of("GPU-a", List.of(restarted, pod("new", 1)));
    slowedFor("old", 1.5, 5);

    assertThat(found.getFirst().cause().newcomer()).isEqualTo("new");
    assertThat(found).extracting(Incident::move).containsExactly(Move.PLANNED);
  }

  /** A pod that validates or stores a checkpoint makes no steps, whoever is beside it. */
  @ParameterizedTest
  @ValueSource(doubles = {1_000, 11})
  void aStandstillClosesTheGpuAndMovesNobody(double slowdown) {
    slowedFor("old", 2, 1); // means over its begin
    slowedFor("old", slowdown, 10);
    slowedFor("old", 2, 1); // and over its end
    assertThat(found).extracting(Incident::move).containsExactly(Move.STAYS);
    assertThat(guard.closed()).isNotEmpty();
    assertThat(planned).isEmpty();
    assertThat(guard.notes().evictions()).isEmpty();

    slowedFor("old", 1.5, 1);
    assertThat(planned).as("slow, and not at a standstill").hasSize(1);
    assertThat(isConfirmed()).isTrue();
    slowed("old", 1.0);
    slowedFor("old", slowdown, 6);
    assertThat(isConfirmed()).as("at a standstill again").isFalse();
  }

  /** It was told that it serves 20 requests a second, and serves 40. */
  @Test
  void aRateBeyondTheStatedOneClosesTheGpuAndMovesNobody() {
    for (int i = 0; i < 10; i++) {
      count(new Sample("old", Signal.RATE, 40, 20, 0.1, now));
      now = now.plus(MINUTE);
    }

    assertThat(found).hasSize(1);
    assertThat(found.getFirst().move()).isEqualTo(Move.STAYS);
    assertThat(guard.closed()).containsOnlyKeys("GPU-a");
    assertThat(guard.planned()).isEmpty();
    assertThat(guard.notes().pair("team-a/new 1", "team-a/old 1", now)).isEmpty();

    for (int i = 0; i < 7; i++) {
      count(new Sample("old", Signal.RATE, 18, 20, 0.1, now));
      now = now.plus(MINUTE);
    }
    assertThat(guard.closed()).isEmpty();
  }

  @Test
  void aSlowPodThatComesToAStandstillMovesTheNewcomer() {
    slowedFor("old", 1.5, 3);
    slowedFor("old", 1_000, 1);
    assertThat(found).extracting(Incident::move).containsExactly(Move.PLANNED);
  }

  @Test
  void decidesAgainOnceAPolicyOrAnAnnotationAllowsMore() {
    GuardRules observe = new GuardRules(Mode.OBSERVE, Duration.ofMinutes(5), 2);
    tenants = Map.of("GPU-a", List.of(pod("old", "team-a", 0, true, observe), pod("new", 1)));
    slowedFor("old", 1.5, 5);
    assertThat(found).extracting(Incident::move).containsExactly(Move.OBSERVED);
    tenants = Map.of("GPU-a", List.of(pod("old", 0), pod("new", "team-a", 1, false, ACT)));
    slowedFor("old", 1.5, 0);
    assertThat(guard.closed()).isNotEmpty();
    assertThat(guard.notes().pairs()).hasSize(1);
    assertThat(planned).isEmpty();
    tenants = Map.of("GPU-a", List.of(pod("old", 0), pod("new", 1)));
    slowedFor("old", 1.5, 3);

    assertThat(planned).extracting(Incident::move).containsExactly(Move.PLANNED);
    assertThat(found).hasSize(1);
    assertThat(guard.notes().evictions()).hasSize(1);
  }

  @Test
  void plansOverBudgetIncidentsOnceTheHourIsOver() {
    GuardRules one = new GuardRules(Mode.ACT, Duration.ofMinutes(5), 1);
    tenants =
        Map.of(
            "GPU-a", List.of(pod("old", "team-a", 0, true, one), pod("new", 1)),
            "GPU-b",
                List.of(
                    pod("older", "team-a", 0, true, one), pod("newer", "team-a", 1, true, one)));
    slowedFor("old", 1.5, 5);
    slowedFor("older", 1.5, 5);
    assertThat(found).extracting(Incident::move).containsExactly(Move.PLANNED, Move.OVER_BUDGET);
    guard = guard.with(guard.notes().moved(found.getFirst().cause(), Move.EVICTED));
    slowedFor("older", 1.5, 50);
    assertThat(planned).isEmpty();
    slowedFor("older", 1.5, 10);

    assertThat(planned).extracting(i -> i.cause().newcomer()).containsExactly("newer");
  }

  @Test
  void aRefusedEvictionIsPlannedAgainInAnHour() {
    slowedFor("old", 1.5, 5);
    guard = guard.with(guard.notes().moved(found.getFirst().cause(), Move.REFUSED));
    slowedFor("old", 1.5, 50);
    assertThat(planned).isEmpty();
    slowedFor("old", 1.5, 15);
    assertThat(planned).hasSize(1);
  }

  @Test
  void anotherSuffererTakesThePlanOver() {
    tenants = Map.of("GPU-a", List.of(pod("old", 0), pod("older", 0), pod("new", 1)));
    for (int i = 0; i <= 5; i++) {
      slowed("old", 1.5);
      slowed("older", 1.5);
      now = now.plus(MINUTE);
    }
    assertThat(found).extracting(Incident::move).containsExactly(Move.PLANNED, Move.ANOTHER);
    tenants = Map.of("GPU-a", List.of(pod("older", 0), pod("new", 1)));
    slowedFor("older", 1.5, 5);

    assertThat(planned).extracting(one -> one.cause().victim()).containsExactly("older");
    assertThat(guard.notes().evictions()).as("of one pod").hasSize(1);
  }

  @Test
  void aFullNamespaceDropsNothingAndLeavesRoomForOthers() {
    Map<String, List<GuardedPod>> all = new HashMap<>();
    for (int i = 0; i < 2 * GuardNotes.ACTED.each(); i++) {
      all.put("GPU-" + i, List.of(pod("old" + i, 0), pod("new" + i, 1)));
    }
    all.put("GPU-x", List.of(pod("x", "team-x", 0, true, ACT), pod("y", "team-x", 1, true, ACT)));
    tenants = all;
    for (int i = 0; i <= 30; i++) {
      List<Sample> samples = new ArrayList<>();
      all.values()
          .forEach(there ->
              samples.add(
                  new Sample(there.getFirst().uid(), Signal.SLOWDOWN, 1.5, 1.15, 0.05, now)));
      GuardState.Step step = guard.step(samples, tenants, now);
      guard = step.next();
      found.addAll(step.found());
      now = now.plus(MINUTE);
    }

    assertThat(found).as("each once").hasSize(GuardNotes.ACTED.each() + 1).doesNotHaveDuplicates();
    assertThat(guard.notes().incidents()).containsAll(found);
    assertThat(found).extracting(Incident::namespace).contains("team-x");
    assertThat(guard.closed()).containsKey("GPU-x");
    assertThat(guard.notes().evictions()).hasSize(2 + 1);
  }
}
