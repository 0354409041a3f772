package dev.cotenant.engine.risk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.Sharing;
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
  private final SpeedMemory memory = new SpeedMemory(store);

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
    store.add(
        List.of(
            new MeasuredSpeed(
                namespace, "pod", DEVICE, job, List.of(neighbours), speed, Instant.EPOCH)));
  }

  private double risk(String namespace) {
    memory.refresh();
    return memory.of(namespace).risk(new Sharing(DEVICE, OWN, List.of(OTHER)), 1.15);
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
    memory.refresh();
    RiskModel before = memory.of("team-a");
    measured("team-b", 100, OWN);
    Object state = memory.state();
    memory.refresh();

    assertThat(store.reads).isEqualTo(3);
    assertThat(memory.of("team-a")).isSameAs(before);
    assertThat(memory.state()).isNotSameAs(state);
    state = memory.state();
    memory.refresh();
    assertThat(memory.state()).isSameAs(state);
  }

  @Test
  void goesOnWithWhatItKnowsWhileTheStoreIsDown() {
    measured("team-a", 100, OWN);
    measured("team-a", 100, OWN);
    measured("team-a", 60, OWN, OTHER);
    double known = risk("team-a");
    store.isDown = true;

    assertThatThrownBy(memory::refresh).isInstanceOf(StoreException.class);
    assertThat(memory.of("team-a").risk(new Sharing(DEVICE, OWN, List.of(OTHER)), 1.15))
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
