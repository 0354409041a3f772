package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.engine.lifetime.LifetimeStore;
import dev.cotenant.engine.lifetime.LifetimeStore.Lifetime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedLifetimesTest {
  @TempDir Path directory;

  private static Lifetime stay(String namespace, String workload, long minutes) {
    return new Lifetime(
        namespace,
        workload,
        Duration.ofMinutes(minutes),
        Instant.parse("2026-11-21T12:00:00Z").plusSeconds(minutes));
  }

  @Test
  void nothingIsForgottenByARestart() {
    List<Lifetime> all = List.of(stay("team-a", "one", 5), stay("team-b", "one", 6));
    long state;
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      LifetimeStore store = new SqlLifetimes(database);
      assertThat(store.all()).isEmpty();
      long before = store.state();
      store.add(all);
      state = store.state();
      assertThat(state).isNotEqualTo(before);
    }
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      LifetimeStore store = new SqlLifetimes(database);
      assertThat(store.all()).isEqualTo(all);
      assertThat(store.state()).isEqualTo(state);
    }
  }

  @Test
  void theNewestOfAWorkloadAreStored() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      LifetimeStore store = new SqlLifetimes(database);
      store.add(List.of(stay("team-a", "other", 1), stay("team-b", "one", 2)));
      store.add(
          IntStream.rangeClosed(1, LifetimeStore.OF_ONE + 3)
              .mapToObj(minutes -> stay("team-a", "one", minutes))
              .toList());

      assertThat(store.all())
          .filteredOn(stay -> stay.workload().equals("one") && stay.namespace().equals("team-a"))
          .hasSize(LifetimeStore.OF_ONE)
          .first()
          .isEqualTo(stay("team-a", "one", 4));
      assertThat(store.all()).hasSize(LifetimeStore.OF_ONE + 2);
    }
  }

  /** A namespace with ever new workloads takes nothing from another. */
  @Test
  void aNamespaceHasAQuota() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      LifetimeStore store = new SqlLifetimes(database);
      store.add(List.of(stay("team-b", "one", 2)));
      store.add(
          IntStream.rangeClosed(1, LifetimeStore.OF_NAMESPACE + 5)
              .mapToObj(number -> stay("team-a", "workload-" + number, 1))
              .toList());

      assertThat(store.all()).hasSize(LifetimeStore.OF_NAMESPACE + 1);
      assertThat(store.all()).contains(stay("team-b", "one", 2));
    }
  }
}
