package dev.cotenant.simulator.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TimelineTest {
  private final Timeline timeline = new Timeline();
  private final List<String> ran = new ArrayList<>();

  private Timer timer(String name) {
    return new Timer(() -> ran.add(name + "@" + timeline.now()));
  }

  private void runAll() {
    while (timeline.step()) {
      assertThat(timeline.size()).isNotNegative();
    }
  }

  @Test
  void runsTimersByInstantAndThoseOfOneInstantAsScheduled() {
    timeline.schedule(timer("b"), 20);
    timeline.schedule(timer("a"), 10);
    timeline.schedule(timer("c"), 20);

    runAll();

    assertThat(ran).containsExactly("a@10", "b@20", "c@20");
  }

  @Test
  void movesAndCancelsPendingTimers() {
    Timer moved = timer("moved");
    Timer cancelled = timer("cancelled");
    timeline.schedule(moved, 5);
    timeline.schedule(cancelled, 6);
    timeline.schedule(timer("other"), 7);
    timeline.schedule(moved, 8);
    timeline.cancel(cancelled);
    timeline.cancel(cancelled);

    runAll();

    assertThat(ran).containsExactly("other@7", "moved@8");
    assertThat(moved.isPending()).isFalse();
  }

  @Test
  void timeNeverRunsBack() {
    timeline.schedule(timer("a"), 10);
    runAll();

    assertThatThrownBy(() -> timeline.schedule(timer("late"), 9))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("9 ns");
  }

  @Test
  void holdsOneEntryForATimerThatIsMovedOften() {
    Timer timer = timer("a");
    for (int i = 0; i < 1000; i++) {
      timeline.schedule(timer, i);
    }

    assertThat(timeline.size()).isEqualTo(1);
  }

  /** Against a sorted list, with moves and cancellations in between. */
  @Test
  void agreesWithASortedListOnRandomInput() {
    SplittableRandom random = new SplittableRandom(7);
    List<int[]> expected = new ArrayList<>();
    List<Integer> order = new ArrayList<>();
    List<Timer> timers = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      int id = i;
      timers.add(new Timer(() -> order.add(id)));
    }
    for (int sequence = 0; sequence < 3000; sequence++) {
      int id = random.nextInt(500);
      expected.removeIf(entry -> entry[2] == id);
      if (random.nextInt(4) == 0) {
        timeline.cancel(timers.get(id));
      } else {
        int at = random.nextInt(50);
        timeline.schedule(timers.get(id), at);
        expected.add(new int[] {at, sequence, id});
      }
    }
    runAll();

    expected.sort(
        Comparator.comparingInt((int[] entry) -> entry[0]).thenComparingInt(entry -> entry[1]));
    assertThat(order).isEqualTo(expected.stream().map(entry -> entry[2]).toList());
  }
}
