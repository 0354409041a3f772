package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.engine.stay.StayStore;
import dev.cotenant.engine.stay.StayStore.Stay;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedStaysTest {
  @TempDir Path directory;

  private static Stay stay(String namespace, String workload, long minutes) {
    return new Stay(
        namespace,
        workload,
        Duration.ofMinutes(minutes),
        Instant.parse("2026-11-21T12:00:00Z").plusSeconds(minutes));
  }

  @Test
  void nothingIsForgottenByARestart() {
    List<Stay> all = List.of(stay("team-a", "one", 5), stay("team-b", "one", 6));
    long state;
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      StayStore store = new SqlStays(database);
      assertThat(store.all()).isEmpty();
      long before = store.state();
      store.add(all);
      state = store.state();
      assertThat(state).isNotEqualTo(before);
    }
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      StayStore store = new SqlStays(database);
      assertThat(store.all()).isEqualTo(all);
      assertThat(store.state()).isEqualTo(state);
    }
  }

  @Test
  void theNewestOfAWorkloadAreStored() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      StayStore store = new SqlStays(database);
      store.add(List.of(stay("team-a", "other", 1), stay("team-b", "one", 2)));
      store.add(
          IntStream.rangeClosed(1, StayStore.OF_ONE + 3)
              .mapToObj(minutes -> stay("team-a", "one", minutes))
              .toList());

      assertThat(store.all())
          .filteredOn(stay -> stay.workload().equals("one") && stay.namespace().equals("team-a"))
          .hasSize(StayStore.OF_ONE)
          .first()
          .isEqualTo(stay("team-a", "one", 4));
      assertThat(store.all()).hasSize(StayStore.OF_ONE + 2);
    }
  }

  /** A namespace with ever new workloads takes nothing from another. */
  @Test
  void aNamespaceHasAQuota() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      StayStore store = new SqlStays(database);
      store.add(List.of(stay("team-b", "one", 2)));
      store.add(
          IntStream.rangeClosed(1, StayStore.OF_NAMESPACE + 5)
              .mapToObj(number -> stay("team-a", "workload-" + number, 1))
              .toList());

      assertThat(store.all()).hasSize(StayStore.OF_NAMESPACE + 1);
      assertThat(store.all()).contains(stay("team-b", "one", 2));
    }
  }
}
