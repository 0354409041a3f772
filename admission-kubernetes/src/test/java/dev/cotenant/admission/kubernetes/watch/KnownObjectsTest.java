package dev.cotenant.admission.kubernetes.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KnownObjectsTest {
  private final List<String> told = new ArrayList<>();
  private final KnownObjects<String> known =
      new KnownObjects<>(object -> told.add("seen " + object), key -> told.add("gone " + key));

  @Test
  void tellsOfDeletionsThatTheWatchMissed() {
    known.listed(Map.of("a", "A", "b", "B"), Set.of());
    known.all();
    known.listed(Map.of("b", "B2"), Set.of());

    assertThat(told).containsExactly("gone a", "seen B2");
  }

  @Test
  void doesNotTakeForGoneWhatItOnlyCannotRead() {
    known.listed(Map.of("a", "A"), Set.of());
    known.all();
    known.listed(Map.of(), Set.of("a"));
    assertThat(told).isEmpty();

    known.listed(Map.of(), Set.of());
    assertThat(told).containsExactly("gone a");
  }

  @Test
  void tellsNothingBeforeSomebodyWantsIt() {
    known.listed(Map.of("a", "A"), Set.of());
    known.removed("a");
    known.changed("b", "B");
    assertThat(told).isEmpty();
    assertThat(known.all()).containsExactly("B");
    known.removed("a");
    known.changed("b", "B");
    assertThat(told).isEmpty();
  }

  @Test
  void tellsAgainWhatCouldNotBeTold() {
    List<String> heard = new ArrayList<>();
    boolean[] broken = {false};
    KnownObjects<String> failing =
        new KnownObjects<>(
            object -> note(broken[0], heard, "seen " + object),
            key -> note(broken[0], heard, "gone " + key));
    failing.listed(Map.of("a", "A"), Set.of());
    failing.all();
    broken[0] = true;
    assertThatThrownBy(() -> failing.changed("b", "B")).isInstanceOf(LinkageError.class);
    assertThatThrownBy(() -> failing.removed("a")).isInstanceOf(LinkageError.class);
    broken[0] = false;
    failing.listed(Map.of("b", "B"), Set.of());

    assertThat(heard).containsExactly("gone a", "seen B");
  }

  private static void note(boolean broken, List<String> heard, String line) {
    if (broken) {
      throw new LinkageError("made up");
    }
    heard.add(line);
  }
}
