package dev.cotenant.admission.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.history.Call.Bound;
import dev.cotenant.admission.history.Call.BoundToOther;
import dev.cotenant.admission.history.Call.Granted;
import dev.cotenant.admission.history.Call.Lapsed;
import dev.cotenant.admission.history.Call.NotBound;
import dev.cotenant.admission.history.Call.NothingReleased;
import dev.cotenant.admission.history.Call.Refused;
import dev.cotenant.admission.history.Call.Released;
import dev.cotenant.admission.history.Call.Unanswered;
import dev.cotenant.admission.history.Call.Wanted;
import dev.cotenant.admission.history.History.Entry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories that have an order, and such that have none. */
class LinearizabilityTest {
  private static boolean explains(Entry... entries) {
    return Linearizability.explains(List.of(entries), List.of("a"));
  }

  private static Entry at(long from, long until, Call call) {
    return new Entry(call, from, until);
  }

  private static Entry lost(long from, Wanted wanted, String holder) {
    return new Entry(new Unanswered(wanted, holder, "pod"), from, Long.MAX_VALUE);
  }

  @Test
  void oneGpuHasOneHolder() {
    assertThat(explains(at(1, 2, new Granted("x", "a")), at(3, 4, new Granted("y", "a"))))
        .isFalse();
    assertThat(explains(at(1, 9, new Granted("x", "a")), at(2, 8, new Granted("y", "a"))))
        .isFalse();
    assertThat(explains(at(1, 2, new Granted("x", "a")), at(3, 4, new Granted("x", "a")))).isTrue();
    assertThat(explains(at(1, 2, new Granted("x", "b")))).isFalse();
  }

  @Test
  void aNodeHasAsManyHoldersAsGpus() {
    List<Entry> two = List.of(at(1, 2, new Granted("x", "n")), at(3, 4, new Granted("y", "n")));
    assertThat(Linearizability.explains(two, List.of("n#0", "n#1"))).isTrue();
    assertThat(Linearizability.explains(two, List.of("n#0", "m#0"))).isFalse();
  }

  @Test
  void aReleaseAtTheSameTimeMayComeFirst() {
    Entry first = at(1, 2, new Granted("x", "a"));
    assertThat(explains(first, at(3, 6, new Released("x")), at(4, 5, new Granted("y", "a"))))
        .isTrue();
    assertThat(explains(first, at(5, 6, new Released("x")), at(3, 4, new Granted("y", "a"))))
        .isFalse();
  }

  @Test
  void nobodyIsRefusedWhileAGpuIsFree() {
    assertThat(explains(at(1, 2, new Refused("x")))).isFalse();
    assertThat(explains(at(1, 4, new Refused("x")), at(2, 3, new Granted("y", "a")))).isTrue();
  }

  @Test
  void aBoundGrantStaysAndOthersLapse() {
    Entry first = at(1, 2, new Granted("x", "a"));
    Entry bound = at(3, 4, new Bound("x", "pod"));
    Entry lapsed = at(5, 6, new Lapsed());
    assertThat(explains(first, lapsed, at(7, 8, new NotBound("x")))).isTrue();
    assertThat(explains(first, lapsed, at(7, 8, new Bound("x", "pod")))).isFalse();
    assertThat(explains(first, bound, lapsed, at(7, 8, new Granted("y", "a")))).isFalse();
    assertThat(explains(first, bound, lapsed, at(7, 8, new BoundToOther("x", "other")))).isTrue();
    assertThat(explains(first, bound, at(5, 6, new Bound("x", "other")))).isFalse();
    assertThat(explains(first, bound, at(5, 6, new NothingReleased("x")))).isFalse();
  }

  @Test
  void whatWasNotAnsweredMayHappenLaterOrNever() {
    assertThat(explains(lost(1, Wanted.GRANT, "x"), at(3, 4, new Refused("y")))).isTrue();
    assertThat(explains(lost(1, Wanted.GRANT, "x"), at(3, 4, new Granted("y", "a")))).isTrue();
    Entry first = at(1, 2, new Granted("x", "a"));
    Entry lost = lost(3, Wanted.RELEASE, "x");
    assertThat(explains(first, lost, at(5, 6, new Bound("x", "pod")))).isTrue();
    assertThat(explains(first, lost, at(5, 6, new Granted("y", "a")))).isTrue();
    assertThat(
            explains(first, lost, at(5, 6, new Granted("y", "a")), at(7, 8, new Bound("x", "pod"))))
        .as("back from the dead")
        .isFalse();
  }
}
