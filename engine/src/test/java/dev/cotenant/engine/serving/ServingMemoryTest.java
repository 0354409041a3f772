package dev.cotenant.engine.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.serving.ServingVersion.Grounds;
import dev.cotenant.engine.testing.FakeServingStore;
import dev.cotenant.engine.testing.MeasuredServers;
import dev.cotenant.llm.serving.LearnedServing;
import dev.cotenant.llm.serving.Parallelism;
import dev.cotenant.llm.serving.ServingConstants;
import dev.cotenant.llm.serving.VllmVersion;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ServingMemoryTest {
  private static final VllmVersion NEW = new VllmVersion(0, 24);
  private static final double GIB = 1L << 30;
  private static final double SHIPPED = context(LearnedServing.NONE.coefficients(NEW));

  private final FakeServingStore store = new FakeServingStore();
  private Instant now = Instant.parse("2026-11-21T10:00:00Z");
  private final ServingMemory memory = new ServingMemory(store, () -> now);
  private int starts;

  private static double context(dev.cotenant.llm.serving.ServingCoefficients coefficients) {
    return ServingConstants.of(coefficients).contextBytes().getOrDefault(Parallelism.NONE, 0.0)
        / GIB;
  }

  private double context(String namespace) {
    return context(memory.of(namespace).coefficients(NEW));
  }

  /** Starts whose context is so many GiB above the shipped one, each a little different. */
  private void measured(String namespace, int count, double moreContext) {
    for (int i = 0; i < count; i++) {
      now = now.plusSeconds(60);
      store.add(
          List.of(
              ServingStart.of(
                  namespace,
                  MeasuredServers.REFERENCE,
                  "pod",
                  MeasuredServers.run(NEW, moreContext + 1e-4 * starts++),
                  null,
                  now)));
    }
  }

  private void refresh() {
    for (int i = 0; i < 4; i++) {
      now = now.plus(ServingMemory.MIN_INTERVAL);
      memory.refresh();
    }
  }

  private List<Grounds> grounds(String namespace) {
    return store.versions(namespace).stream().map(ServingVersion::grounds).toList();
  }

  @Test
  void whatPredictsBetterComesInForceInItsNamespaceAlone() {
    measured("team-a", 3, 1);
    measured("team-b", 3, 0);
    refresh();
    assertThat(memory.of("team-a").isPromoted(NEW)).isFalse();

    measured("team-a", 3, 1);
    refresh();

    assertThat(memory.of("team-a").isPromoted(NEW)).isTrue();
    assertThat(context("team-a")).isCloseTo(SHIPPED + 6.0 / 8, within(0.01));
    assertThat(context("team-b")).isEqualTo(SHIPPED);
    assertThat(memory.of("team-a").isPromoted(VllmVersion.MEASURED)).isFalse();
    ServingVersion version = store.versions("team-a").getFirst();
    assertThat(version.reason()).contains("mean error over 5 starts", "GiB");
    assertThat(version.by()).isEqualTo("cotenant");
  }

  @Test
  void theShippedConstantsAreInForceAgainWhereAllStartsAreDeleted() {
    measured("team-a", 4, 1);
    refresh();
    assertThat(context("team-a")).isNotEqualTo(SHIPPED);

    store.clear();

    assertThat(memory.refresh()).isTrue();
    assertThat(context("team-a")).isEqualTo(SHIPPED);
    assertThat(memory.refresh()).isFalse();
  }

  /** Between versions nothing moves: what is in force is what was proven. */
  @Test
  void aVersionStaysUntilTwiceAsManyStartsAreKnown() {
    measured("team-a", 4, 1);
    refresh();
    double first = context("team-a");
    measured("team-a", 3, 1);
    refresh();
    assertThat(context("team-a")).isEqualTo(first);
    measured("team-a", 1, 1);
    refresh();
    assertThat(context("team-a")).isGreaterThan(first);
    assertThat(grounds("team-a")).containsExactly(Grounds.BETTER, Grounds.BETTER);
  }

  /**
   * A store retains few starts of one model, so that their number grows no more: what is in force
   * is judged by those that came after it.
   */
  @Test
  void constantsAreJudgedWhereOldStartsAreDeleted() {
    measured("team-a", 16, 1);
    refresh();
    for (double drift : new double[] {3, 0}) {
      for (int i = 0; i < 32; i++) {
        measured("team-a", 1, drift);
        store.trim(16);
        refresh();
      }
      assertThat(context("team-a")).isCloseTo(SHIPPED + drift, within(0.5));
    }
    assertThat(store.versions("team-a"))
        .anySatisfy(version -> assertThat(version.reason()).contains("learned again"))
        .hasSizeLessThan(10);
  }

  /** The same constants twice are two versions; each way back leads to the one before. */
  @Test
  void theWayBackEndsAtTheShippedConstants() {
    measured("team-a", 4, 1);
    refresh();
    ServingVersion first = store.versions("team-a").getFirst();
    for (long number : new long[] {2, 3}) {
      store.add(
          new ServingVersion(
              "team-a",
              "0.24",
              number,
              now,
              "cotenant",
              Grounds.BETTER,
              null,
              4,
              first.constants(),
              "x"));
    }
    for (long back : new long[] {2, 1, 0}) {
      now = now.plusSeconds(1);
      assertThat(memory.rollBack("team-a", "0.24", "user ada", "x").back()).isEqualTo(back);
    }
    assertThat(context("team-a")).isEqualTo(SHIPPED);
    assertThatThrownBy(() -> memory.rollBack("team-a", "0.24", "user ada", "x"))
        .isInstanceOf(ConflictException.class);
  }

  /** Every namespace predicts with its constants from the first look on; the unreadable do not. */
  @Test
  void aRestartLoadsEveryNamespaceAtOnce() {
    for (String namespace : List.of("a", "b", "c", "d")) {
      measured(namespace, 4, 1);
    }
    refresh();
    store.add(
        new ServingVersion(
            "b", "0.24", 2, now, "cotenant", Grounds.BETTER, null, 4, "{broken", "x"));
    ServingMemory restarted = new ServingMemory(store, () -> now);
    assertThat(restarted.refresh()).isTrue();
    assertThat(List.of("a", "b", "c", "d").stream().map(restarted::of))
        .extracting(each -> each.isPromoted(NEW))
        .containsExactly(true, false, true, true);
  }

  @Test
  void laterStartsTakeConstantsOutOfForce() {
    measured("team-a", 4, 1);
    refresh();
    measured("team-a", 30, 0);
    refresh();
    assertThat(grounds("team-a")).containsExactly(Grounds.BETTER, Grounds.WORSE);
    assertThat(context("team-a")).isEqualTo(SHIPPED);
  }

  /** What was taken out of force comes back by later starts alone. */
  @Test
  void constantsOutOfForceStayOutUntilLaterStartsProveThem() {
    measured("team-a", 16, 1);
    refresh();
    for (int i = 0; i < 8; i++) {
      measured("team-a", 3, 0);
      refresh();
    }
    assertThat(grounds("team-a")).endsWith(Grounds.WORSE).containsOnlyOnce(Grounds.WORSE);
    assertThat(context("team-a")).isEqualTo(SHIPPED);

    for (int i = 0; i < 8; i++) {
      measured("team-a", 3, 1);
      refresh();
    }
    assertThat(grounds("team-a")).endsWith(Grounds.BETTER);
    assertThat(context("team-a")).isGreaterThan(SHIPPED);
  }

  @Test
  void aPersonGoesBackAndOldStartsProveNothingAnyMore() {
    measured("team-a", 4, 1);
    refresh();
    double first = context("team-a");
    measured("team-a", 4, 1);
    refresh();
    now = now.plusSeconds(1);
    memory.rollBack("team-a", "0.24.1", "user ada", "too high");
    assertThat(context("team-a")).isEqualTo(first);
    now = now.plusSeconds(1);
    memory.rollBack("team-a", "0.24", "user ada", "still too high");
    assertThat(context("team-a")).isEqualTo(SHIPPED);
    refresh();
    assertThat(context("team-a")).isEqualTo(SHIPPED);
    assertThatThrownBy(() -> memory.rollBack("team-a", "0.24", "user ada", "again"))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("no way back");

    measured("team-a", 4, 1);
    refresh();
    assertThat(context("team-a")).isGreaterThan(SHIPPED);
    assertThat(grounds("team-a"))
        .containsExactly(
            Grounds.BETTER, Grounds.BETTER, Grounds.ROLLBACK, Grounds.ROLLBACK, Grounds.BETTER);
  }

  @Test
  void refusesWhatIsNoReleaseOrNeverLearned() {
    assertThatThrownBy(() -> memory.rollBack("team-a", "latest", "user ada", "x"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("not a version of vLLM");
    assertThatThrownBy(() -> memory.rollBack("team-a", "0.19", "user ada", "x"))
        .isInstanceOf(ConflictException.class);
  }

  @Test
  void constantsStayWhileTheStoreIsDownAndSurviveARestart() {
    measured("team-a", 6, 1);
    refresh();
    double learned = context("team-a");
    store.setDown(true);
    assertThatThrownBy(memory::refresh).isInstanceOf(StoreException.class);
    assertThat(context("team-a")).isEqualTo(learned);
    store.setDown(false);

    ServingMemory restarted = new ServingMemory(store, () -> now);
    assertThat(restarted.refresh()).isTrue();
    assertThat(context(restarted.of("team-a").coefficients(NEW))).isEqualTo(learned);
    assertThat(restarted.refresh()).isFalse();
  }

  /** A start that no reader understands any more is left out, and the others count. */
  @Test
  void anUnreadableStartIsSkipped() {
    store.add(
        List.of(
            new ServingStart("team-a", "0.24", "m", "pod", "{\"format\": 9}", null, now),
            new ServingStart("team-a", "0.24", "m", "pod", "", null, now)));
    measured("team-a", 5, 1);
    refresh();
    Map<String, List<ServingVersion>> versions = memory.versions("team-a");
    assertThat(Objects.requireNonNull(versions.get("0.24"))).hasSize(1);
  }
}
