package dev.cotenant.engine.risk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.VictimColocation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SpeedMemoryTest {
  private static final String DEVICE = "a100-40gb";
  private static final SharedJob OWN = new SharedJob("own b32", "own", 0.4, 0.2);
  private static final SharedJob OTHER = new SharedJob("other b32", "other", 0.4, 0.2);
  private static final SharedJob THIRD = new SharedJob("third b32", "third", 0.4, 0.2);

  private final Rows store = new Rows();
  private Instant now = Instant.parse("2026-11-21T10:00:00Z");
  private final SpeedMemory memory = new SpeedMemory(store, () -> now);

  /** A store in memory that can fail. */
  private static final class Rows implements SpeedStore {
    private final List<MeasuredSpeed> rows = new ArrayList<>();
    private boolean isDown;
    private int reads;

    @Override
    public void add(List<MeasuredSpeed> added) {
      rows.addAll(added);
    }

    @Override
    public Map<String, Long> newest() {
      if (isDown) {
        throw new StoreException("the store is down", new IllegalStateException());
      }
      Map<String, Long> newest = new HashMap<>();
      for (int i = 0; i < rows.size(); i++) {
        newest.put(rows.get(i).namespace(), i + 1L);
      }
      return newest;
    }

    @Override
    public List<MeasuredSpeed> of(String namespace) {
      reads++;
      return rows.stream().filter(row -> row.namespace().equals(namespace)).toList();
    }
  }

  private void measured(String namespace, double speed, SharedJob job, SharedJob... neighbours) {
    store.add(List.of(row(namespace, speed, job, neighbours)));
  }

  private static MeasuredSpeed row(
      String namespace, double speed, SharedJob job, SharedJob... neighbours) {
    return new MeasuredSpeed(
        namespace,
        "pod",
        DEVICE,
        job,
        List.of(neighbours),
        speed,
        Instant.EPOCH,
        SpeedSource.PROGRESS,
        "");
  }

  /** Once each namespace may be learned. */
  private void refreshAll() {
    now = now.plus(SpeedMemory.MIN_INTERVAL);
    for (int i = 0; i < store.newest().size(); i++) {
      memory.refresh();
    }
  }

  private double risk(String namespace) {
    refreshAll();
    return memory.of(namespace).risk(new VictimColocation(DEVICE, OWN, List.of(OTHER)), 1.15);
  }

  @Test
  void learnsFromSpeedsBesideOthersOverTheSpeedAlone() {
    double prior = risk("team-a");
    measured("team-a", 100, OWN);
    measured("team-a", 102, OWN);
    for (int i = 0; i < 4; i++) {
      measured("team-a", 70, OWN, OTHER);
    }
    assertThat(risk("team-a")).isGreaterThan(0.9);
    for (int i = 0; i < 4; i++) {
      measured("team-b", 70, OWN);
      measured("team-b", 70, OWN, OTHER);
    }
    assertThat(risk("team-b")).isLessThan(prior / 2);
    assertThat(risk("team-a")).isGreaterThan(0.9);
    assertThat(risk("team-c")).isEqualTo(prior);
  }

  @Test
  void oneSpeedAloneIsNotTrusted() {
    double prior = risk("team-a");
    measured("team-a", 100, OWN);
    measured("team-a", 60, OWN, OTHER);
    assertThat(risk("team-a")).isEqualTo(prior);

    measured("team-a", 100, OWN);
    assertThat(risk("team-a")).isGreaterThan(prior);
  }

  @Test
  void forgetsANamespaceWhoseRowsAreDeleted() {
    double prior = risk("team-a");
    for (String namespace : List.of("team-a", "team-b")) {
      for (int i = 0; i < 4; i++) {
        measured(namespace, 70, OWN);
        measured(namespace, 70, OWN, OTHER);
      }
    }
    assertThat(risk("team-a")).isLessThan(prior);

    store.rows.removeIf(row -> row.namespace().equals("team-a"));

    assertThat(risk("team-a")).isEqualTo(prior);
    assertThat(risk("team-b")).isLessThan(prior);
    store.rows.clear();
    memory.refresh();
    assertThat(memory.areTrained()).isFalse();
  }

  /** A single impossible speed is worth no more than a surprising one. */
  @Test
  void shrinksOutliers() {
    for (int i = 0; i < 20; i++) {
      measured("team-a", 100, OWN);
      measured("team-a", 100, THIRD);
      measured("team-a", 99, OWN, OTHER);
      measured("team-a", 99, THIRD, OTHER);
    }
    double before = risk("team-a");
    measured("team-a", 1e-6, OWN, OTHER);

    assertThat(risk("team-a")).isLessThan(before + 0.05);
  }

  @Test
  void readsOnlyNamespacesThatChanged() {
    measured("team-a", 100, OWN);
    measured("team-b", 100, OWN);
    refreshAll();
    RiskModel before = memory.of("team-a");
    measured("team-b", 100, OWN);
    Object state = memory.state();
    refreshAll();

    assertThat(store.reads).isEqualTo(3);
    assertThat(memory.of("team-a")).isSameAs(before);
    assertThat(memory.state()).isNotSameAs(state);
    state = memory.state();
    memory.refresh();
    assertThat(memory.state()).isSameAs(state);
  }

  @Test
  void learnsOneNamespaceARefreshAndEachNotTooOften() {
    measured("team-a", 100, OWN);
    measured("team-b", 100, OWN);
    memory.refresh();
    assertThat(store.reads).isEqualTo(1);
    memory.refresh();
    assertThat(store.reads).isEqualTo(2);
    measured("team-a", 100, OWN);
    memory.refresh();
    assertThat(store.reads).as("team-a was just learned").isEqualTo(2);

    now = now.plus(SpeedMemory.MIN_INTERVAL);
    memory.refresh();
    assertThat(store.reads).isEqualTo(3);
  }

  @Test
  void namespacesShareOneBudgetOfRows() {
    List<MeasuredSpeed> rows = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      rows.add(row("team-a", 100, OWN));
    }
    for (int i = 0; i < 600; i++) {
      rows.add(row("team-a", 90, OWN, new SharedJob("other b" + i, "other", 0.4, 0.2)));
    }
    assertThat(SpeedMemory.learned(new ComparedSpeeds(rows), 1).rows()).isEqualTo(600);
    RiskModel oneOfMany = SpeedMemory.learned(new ComparedSpeeds(rows), 1024);
    assertThat(oneOfMany.rows()).isEqualTo(90);
    assertThat(oneOfMany.knowsAggressor(DEVICE, new SharedJob("other b599", "other", 0.4, 0.2)))
        .as("the newest count")
        .isTrue();

    measured("team-a", 100, OWN);
    refreshAll();
    measured("team-b", 100, OWN);
    measured("team-c", 100, OWN);
    store.reads = 0;
    refreshAll();
    assertThat(store.reads).as("team-a is made anew with fewer rows").isEqualTo(3);
  }

  /** However often a colocation is measured, what it is divided by was measured twice. */
  @Test
  void repetitionsDoNotAverageTheErrorOfTheSpeedAloneAway() {
    measured("team-a", 100, OWN);
    measured("team-a", 100, OWN);
    for (int i = 0; i < 500; i++) {
      measured("team-a", 90, OWN, OTHER);
    }
    refreshAll();
    double deviation =
        memory.of("team-a").estimate(new VictimColocation(DEVICE, OWN, List.of(OTHER))).deviation();

    assertThat(deviation).isGreaterThan(0.02);
  }

  @Test
  void goesOnWithWhatItKnowsWhileTheStoreIsDown() {
    measured("team-a", 100, OWN);
    measured("team-a", 100, OWN);
    measured("team-a", 60, OWN, OTHER);
    double known = risk("team-a");
    store.isDown = true;
    now = now.plus(SpeedMemory.MIN_INTERVAL);

    assertThatThrownBy(memory::refresh).isInstanceOf(StoreException.class);
    assertThat(memory.of("team-a").risk(new VictimColocation(DEVICE, OWN, List.of(OTHER)), 1.15))
        .isEqualTo(known);
  }

  @Test
  void refusesWhatIsNoSpeed() {
    assertThatThrownBy(() -> measured("team-a", 0, OWN)).hasMessageContaining("speed is 0.0");
    assertThatThrownBy(() -> measured("team-a", Double.POSITIVE_INFINITY, OWN))
        .hasMessageContaining("not positive");
    SharedJob[] many = {OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER};
    assertThatThrownBy(() -> measured("team-a", 1, OWN, many)).hasMessageContaining("8 neighbours");
  }
}
