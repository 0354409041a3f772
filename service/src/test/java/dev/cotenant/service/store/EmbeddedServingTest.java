package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.engine.serving.ServingStart;
import dev.cotenant.engine.serving.ServingStore;
import dev.cotenant.engine.serving.ServingVersion;
import dev.cotenant.engine.serving.ServingVersion.Grounds;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedServingTest {
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

  @TempDir Path directory;

  private static ServingStart start(String namespace, String model, int number) {
    return new ServingStart(
        namespace, "0.24", model, "pod", "{\"n\": " + number + "}", NOW.plusSeconds(number));
  }

  private static ServingVersion version(String namespace, long number) {
    return new ServingVersion(
        namespace, "0.24", number, NOW, "cotenant", Grounds.BETTER, 4, "{}", "0.1 GiB");
  }

  @Test
  void nothingIsForgottenByARestartAndEqualStartsCountOnce() {
    ServingVersion back =
        new ServingVersion(
            "team-a", "0.24", 2, NOW, "user ada", Grounds.ROLLBACK, 0, null, "too high");
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      ServingStore store = new SqlServing(database);
      assertThat(
              store.add(
                  List.of(start("team-a", "m", 1), start("team-a", "m", 1), start("b", "m", 1))))
          .containsExactly(true, false, true);
      assertThat(store.add(version("team-a", 1))).isTrue();
      assertThat(store.add(version("team-a", 1))).isFalse();
      assertThat(store.add(back)).isTrue();
    }
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      ServingStore store = new SqlServing(database);
      assertThat(store.starts("team-a")).containsExactly(start("team-a", "m", 1));
      assertThat(store.versions("team-a")).containsExactly(version("team-a", 1), back);
      assertThat(store.versions("b")).isEmpty();
      assertThat(store.states()).containsOnlyKeys("b", "team-a");
    }
  }

  @Test
  void stateChangesWithStartsAndVersions() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      ServingStore store = new SqlServing(database);
      assertThat(store.states()).isEmpty();
      store.add(List.of(start("team-a", "m", 1)));
      String one = store.states().getOrDefault("team-a", "");
      store.add(version("team-a", 1));
      String two = store.states().getOrDefault("team-a", "");
      store.add(List.of(start("team-a", "m", 2)));
      assertThat(List.of(one, two, store.states().getOrDefault("team-a", "")))
          .doesNotHaveDuplicates();
    }
  }

  /** A server that restarts all the time displaces neither other models nor other namespaces. */
  @Test
  void theOldestBeyondTheQuotaGo() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      ServingStore store = new SqlServing(database);
      store.add(List.of(start("b", "m", 0), start("team-a", "other", 0)));
      for (int i = 0; i < ServingStore.STARTS_OF_ONE + 5; i++) {
        store.add(List.of(start("team-a", "m", i)));
      }
      assertThat(store.starts("b")).hasSize(1);
      assertThat(store.starts("team-a"))
          .hasSize(ServingStore.STARTS_OF_ONE + 1)
          .contains(start("team-a", "other", 0))
          .doesNotContain(start("team-a", "m", 4))
          .contains(start("team-a", "m", 5));
      store.add(
          IntStream.range(0, ServingStore.MAX_STARTS)
              .mapToObj(i -> start("team-a", "model-" + i, 0))
              .toList());
      assertThat(store.starts("team-a"))
          .hasSize(ServingStore.MAX_STARTS)
          .doesNotContain(start("team-a", "other", 0));
    }
  }
}
