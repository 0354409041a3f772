package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.service.decisions.DecisionStore;
import dev.cotenant.service.evidence.DriftStore;
import dev.cotenant.service.evidence.EvidenceStore;
import dev.cotenant.service.evidence.Observed;
import dev.cotenant.service.history.ClusterState;
import dev.cotenant.service.history.Figure;
import dev.cotenant.service.history.GpuRow;
import dev.cotenant.service.history.GpuState;
import dev.cotenant.service.history.HistoryStore;
import dev.cotenant.service.history.HistoryStore.GpuPoint;
import dev.cotenant.service.replay.ReplayStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the history does in every database. */
abstract class HistoryContract {
  private static final long MINUTE = 29_700_000; // a quarter of an hour begins

  /** Of a database that is empty at first, the same throughout a test. */
  protected abstract DatabaseSettings settings() throws Exception;

  private static GpuRow row(String uuid, @Nullable Long used, String... tenants) {
    return new GpuRow(
        uuid,
        "node",
        0,
        "t4",
        GpuState.SHARED,
        null,
        16_000,
        used,
        used,
        null,
        700,
        900,
        used == null ? null : 12.5,
        30,
        40,
        1.1,
        false,
        List.of(tenants));
  }

  private static ClusterState state(double gpus, GpuRow... rows) {
    return new ClusterState(List.of(rows), Map.of(Figure.GPUS, gpus, Figure.SAVED_GPUS, gpus / 2));
  }

  @Test
  void nothingIsForgottenByARestart() throws Exception {
    try (Database database = Database.of(settings())) {
      HistoryStore store = new SqlHistory(database);
      assertThat(store.points(0, 1)).isEmpty();
      assertThat(store.add(MINUTE, state(4, row("GPU-1", 5L, "team-a/x", "team-b/\"'; --"))))
          .isTrue();
      assertThat(store.add(MINUTE + 1, state(8, row("GPU-1", null)))).isTrue();
    }
    try (Database database = Database.of(settings())) {
      HistoryStore store = new SqlHistory(database);
      assertThat(store.points(MINUTE, 1))
          .extracting(HistoryStore.Point::figures)
          .containsExactly(
              Map.of("gpus", 4.0, "saved_gpus", 2.0), Map.of("gpus", 8.0, "saved_gpus", 4.0));
      assertThat(store.gpu("GPU-1", MINUTE))
          .containsExactly(
              new GpuPoint(
                  "2026-06-21T00:00:00Z",
                  5L,
                  5L,
                  900,
                  12.5,
                  30,
                  List.of("team-a/x", "team-b/\"'; --")),
              new GpuPoint("2026-06-21T00:01:00Z", null, null, 900, null, 30, List.of()));
      assertThat(store.gpu("GPU-1", MINUTE + 1)).hasSize(1);
      assertThat(store.gpu("GPU-2", 0)).isEmpty();
    }
  }

  @Test
  void theFirstReplicaOfAMinuteStoresIt() throws Exception {
    try (Database database = Database.of(settings())) {
      HistoryStore store = new SqlHistory(database);
      assertThat(store.add(MINUTE, state(4, row("GPU-1", 5L)))).isTrue();
      assertThat(store.add(MINUTE, state(9, row("GPU-1", 6L)))).isFalse();
      assertThat(store.gpu("GPU-1", 0)).extracting(GpuPoint::usedBytes).containsExactly(5L);
      assertThat(store.points(0, 1).getFirst().figures()).containsEntry("gpus", 4.0);
    }
  }

  @Test
  void aPointHasTheMeansOfItsMinutes() throws Exception {
    try (Database database = Database.of(settings())) {
      HistoryStore store = new SqlHistory(database);
      for (int i = 0; i < 4; i++) {
        store.add(MINUTE + i, state(i));
      }
      assertThat(store.points(MINUTE + 1, 3))
          .containsExactly(
              new HistoryStore.Point(
                  "2026-06-21T00:00:00Z", 2, Map.of("gpus", 1.5, "saved_gpus", 0.75)),
              new HistoryStore.Point(
                  "2026-06-21T00:03:00Z", 1, Map.of("gpus", 3.0, "saved_gpus", 1.5)));
    }
  }

  @Test
  void trimsByAgeAndByNumber() throws Exception {
    try (Database database = Database.of(settings())) {
      HistoryStore store = new SqlHistory(database);
      for (int i = 0; i < 32; i++) {
        store.add(MINUTE + i, state(1, row("GPU-1", (long) i), row("GPU-2", (long) i)));
      }
      store.trim(MINUTE + 1, MINUTE + 30, 1_000);
      assertThat(store.points(0, 1)).hasSize(31);
      assertThat(store.gpu("GPU-1", 0))
          .extracting(GpuPoint::usedBytes)
          .containsExactly(15L, 30L, 31L);

      store.trim(MINUTE + 1, MINUTE + 30, 4);
      assertThat(store.gpu("GPU-1", 0)).extracting(GpuPoint::usedBytes).containsExactly(30L, 31L);
      assertThat(store.gpu("GPU-2", 0)).hasSize(2);
    }
  }

  @Test
  void countsOfEvidenceAddUpAndAgeByDays() throws Exception {
    EvidenceStore.Key held = new EvidenceStore.Key("team-a", Observed.DECIDED_HELD, 20_000);
    EvidenceStore.Key shared = new EvidenceStore.Key("team-a", Observed.DECIDED_SHARED, 20_001);
    try (Database database = Database.of(settings())) {
      EvidenceStore store = new SqlEvidence(database);
      store.add(Map.of(held, 2L, shared, 1L));
      store.add(Map.of(held, 3L));
    }
    try (Database database = Database.of(settings())) {
      EvidenceStore store = new SqlEvidence(database);
      assertThat(store.all())
          .containsExactly(new EvidenceStore.Entry(held, 5), new EvidenceStore.Entry(shared, 1));
      store.trim(20_001);
      assertThat(store.all()).containsExactly(new EvidenceStore.Entry(shared, 1));
    }
  }

  private static DecisionStore.Entry decided(long second, String pod, String... gpus) {
    return new DecisionStore.Entry(
        Instant.ofEpochSecond(second),
        pod.substring(0, pod.indexOf('/')),
        pod,
        List.of(gpus),
        "whole \"'; -- " + pod,
        "own " + pod);
  }

  private static List<String> pods(
      DecisionStore store, @Nullable String namespace, @Nullable String pod, @Nullable String gpu) {
    return store.newest(new DecisionStore.Wanted(namespace, pod, gpu, Long.MAX_VALUE), 10).stream()
        .map(one -> one.entry().pod())
        .toList();
  }

  @Test
  void decisionsAreFoundByPodNamespaceAndGpuAfterARestart() throws Exception {
    try (Database database = Database.of(settings())) {
      DecisionStore store = new SqlDecisions(database);
      store.add(List.of(decided(1, "a/x", "GPU-1", "GPU-2"), decided(2, "b/y", "GPU-2")));
      store.add(List.of(decided(3, "a/x")));
    }
    try (Database database = Database.of(settings())) {
      DecisionStore store = new SqlDecisions(database);
      assertThat(pods(store, null, null, null)).containsExactly("a/x", "b/y", "a/x");
      assertThat(pods(store, "b", null, null)).containsExactly("b/y");
      assertThat(pods(store, null, "a/x", "GPU-1")).containsExactly("a/x");
      assertThat(pods(store, null, null, "GPU-2")).containsExactly("b/y", "a/x");
      assertThat(pods(store, null, null, "GPU-3")).isEmpty();
      DecisionStore.Stored newest =
          store.newest(new DecisionStore.Wanted(null, null, null, Long.MAX_VALUE), 1).getFirst();
      assertThat(newest.entry()).isEqualTo(decided(3, "a/x"));
      assertThat(store.newest(new DecisionStore.Wanted(null, null, null, newest.number()), 10))
          .hasSize(2);
    }
  }

  @Test
  void decisionsAreTrimmedByAgeAndNumberWithTheirGpus() throws Exception {
    try (Database database = Database.of(settings())) {
      DecisionStore store = new SqlDecisions(database);
      for (int i = 1; i <= 6; i++) {
        store.add(List.of(decided(i, "a/pod-" + i, "GPU-1")));
      }
      store.trim(Instant.ofEpochSecond(3), 100);
      assertThat(pods(store, null, null, "GPU-1"))
          .containsExactly("a/pod-6", "a/pod-5", "a/pod-4", "a/pod-3");
      store.trim(Instant.ofEpochSecond(3), 2);
      assertThat(pods(store, null, null, null)).containsExactly("a/pod-6", "a/pod-5");
      store.trim(Instant.ofEpochSecond(100), 2);
      assertThat(pods(store, null, null, "GPU-1")).isEmpty();
    }
  }

  @Test
  void driftHasTheNewestRunsOfEveryDevice() throws Exception {
    try (Database database = Database.of(settings())) {
      DriftStore store = new SqlDrift(database);
      for (int i = 0; i < DriftStore.MAX_RUNS + 3; i++) {
        store.add(new DriftStore.Run("t4", Instant.ofEpochSecond(i), 0.25, i % 2 == 0));
      }
      store.add(new DriftStore.Run("a100-40gb", Instant.ofEpochSecond(9), -1.5, true));
    }
    try (Database database = Database.of(settings())) {
      List<DriftStore.Run> newest = new SqlDrift(database).newest();
      assertThat(newest).hasSize(DriftStore.MAX_RUNS + 1);
      assertThat(newest.getFirst())
          .isEqualTo(new DriftStore.Run("a100-40gb", Instant.ofEpochSecond(9), -1.5, true));
      assertThat(newest.get(1).at()).isEqualTo(Instant.ofEpochSecond(3));
    }
  }

  @Test
  void theNewestReplayTakesThePlaceOfTheOneBefore() throws Exception {
    try (Database database = Database.of(settings())) {
      ReplayStore store = new SqlReplays(database);
      assertThat(store.newest()).isEmpty();
      store.put("one");
      store.put("another");
    }
    try (Database database = Database.of(settings())) {
      assertThat(new SqlReplays(database).newest()).contains("another");
    }
  }
}
