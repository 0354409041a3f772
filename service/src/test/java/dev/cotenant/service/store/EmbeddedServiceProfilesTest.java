package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.engine.serving.ServiceProfileStore;
import dev.cotenant.engine.serving.ServiceProfileStore.Stored;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedServiceProfilesTest {
  @TempDir Path directory;

  private static Stored profile(String namespace, String name, String device, String line) {
    return new Stored(
        namespace, "workload", name, device, line, "user anna", Instant.ofEpochSecond(7));
  }

  @Test
  void nothingIsForgottenByARestart() {
    List<Stored> stored =
        List.of(profile("", "resnet50", "t4", "one"), profile("team-a", "resnet50", "t4", "two"));
    long state;
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      ServiceProfileStore store = new SqlServiceProfiles(database);
      assertThat(store.state()).isZero();
      assertThat(store.put(stored)).isTrue();
      state = store.state();
    }
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      ServiceProfileStore store = new SqlServiceProfiles(database);
      assertThat(store.all()).isEqualTo(stored);
      assertThat(store.state()).isEqualTo(state);
    }
  }

  @Test
  void aProfileReplacesItsPredecessorAndNoOther() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      ServiceProfileStore store = new SqlServiceProfiles(database);
      store.put(
          List.of(
              profile("a", "m", "t4", "one"),
              profile("a", "m", "l4", "two"),
              profile("b", "m", "t4", "three")));
      long before = store.state();
      store.put(List.of(profile("a", "m", "t4", "four")));

      assertThat(store.state()).isNotEqualTo(before);
      assertThat(store.all()).extracting(Stored::line).containsExactly("two", "four", "three");

      assertThat(store.delete("a", "m", "l4")).isEqualTo(1);
      assertThat(store.delete("a", "m", null)).isEqualTo(1);
      assertThat(store.delete("a", "m", null)).isZero();
      assertThat(store.all()).extracting(Stored::line).containsExactly("three");
    }
  }

  @Test
  void refusesMoreThanANamespaceMayHave() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      ServiceProfileStore store = new SqlServiceProfiles(database);
      assertThat(
              store.put(
                  IntStream.range(0, ServiceProfileStore.MAX_PROFILES)
                      .mapToObj(i -> profile("a", "m" + i, "t4", "line"))
                      .toList()))
          .isTrue();

      assertThat(store.put(List.of(profile("b", "m", "t4", "line")))).isTrue();
      assertThat(store.put(List.of(profile("a", "one-more", "t4", "line")))).isFalse();
      assertThat(store.put(List.of(profile("a", "m7", "t4", "other")))).isTrue();
      assertThat(store.all()).hasSize(ServiceProfileStore.MAX_PROFILES + 1);
    }
  }
}
