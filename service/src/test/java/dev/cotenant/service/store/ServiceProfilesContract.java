package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.engine.serving.ServiceProfileStore;
import dev.cotenant.engine.serving.ServiceProfileStore.Stored;
import dev.cotenant.engine.serving.ServiceProfileStore.Upload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a store of profiles does in every database. */
abstract class ServiceProfilesContract {
  /** Of a database that is empty at first, the same throughout a test. */
  protected abstract DatabaseSettings settings() throws Exception;

  private static Stored profile(String namespace, String name, String device, String line) {
    return new Stored(
        namespace, "workload", name, device, line, "user anna", Instant.ofEpochSecond(7));
  }

  @Test
  void nothingIsForgottenByARestart() throws Exception {
    List<Stored> stored =
        List.of(profile("", "resnet50", "t4", "one"), profile("team-a", "resnet50", "t4", "two"));
    long state;
    try (Database database = Database.of(settings())) {
      ServiceProfileStore store = new SqlServiceProfiles(database);
      assertThat(store.state()).isZero();
      assertThat(store.put(stored)).isEqualTo(Upload.STORED);
      state = store.state();
    }
    try (Database database = Database.of(settings())) {
      ServiceProfileStore store = new SqlServiceProfiles(database);
      assertThat(store.all()).isEqualTo(stored);
      assertThat(store.state()).isEqualTo(state);
    }
  }

  @Test
  void aProfileReplacesItsPredecessorAndNoOther() throws Exception {
    try (Database database = Database.of(settings())) {
      ServiceProfileStore store = new SqlServiceProfiles(database);
      store.put(
          List.of(
              profile("a", "m", "t4", "one"),
              profile("a", "m", "l4", "two"),
              profile("b", "m", "t4", "three")));
      long before = store.state();
      store.put(List.of(profile("a", "m", "t4", "four")));

      assertThat(store.state()).isGreaterThan(before);
      assertThat(store.all()).extracting(Stored::line).containsExactly("two", "four", "three");

      assertThat(store.delete("a", "m", "l4")).isEqualTo(1);
      assertThat(store.delete("a", "m", null)).isEqualTo(1);
      assertThat(store.delete("a", "m", null)).isZero();
      assertThat(store.all()).extracting(Stored::line).containsExactly("three");
    }
  }

  @Test
  void refusesMoreThanANamespaceMayHave() throws Exception {
    try (Database database = Database.of(settings())) {
      ServiceProfileStore store = new SqlServiceProfiles(database);
      assertThat(
              store.put(
                  IntStream.range(0, ServiceProfileStore.MAX_PROFILES)
                      .mapToObj(i -> profile("a", "m" + i, "t4", "line"))
                      .toList()))
          .isEqualTo(Upload.STORED);

      assertThat(store.put(List.of(profile("b", "m", "t4", "line")))).isEqualTo(Upload.STORED);
      assertThat(store.put(List.of(profile("a", "one-more", "t4", "line"))))
          .isEqualTo(Upload.NAMESPACE_FULL);
      assertThat(store.put(List.of(profile("a", "m7", "t4", "other")))).isEqualTo(Upload.STORED);
      assertThat(store.all()).hasSize(ServiceProfileStore.MAX_PROFILES + 1);
    }
  }

  @Test
  void refusesAListThatIsTooLongBeforeItIsWritten() throws Exception {
    try (Database database = Database.of(settings())) {
      ServiceProfileStore store = new SqlServiceProfiles(database);
      List<Stored> same =
          IntStream.rangeClosed(0, ServiceProfileStore.MAX_PROFILES)
              .mapToObj(_ -> profile("a", "m", "t4", "line"))
              .toList();

      assertThat(store.put(same)).isEqualTo(Upload.NAMESPACE_FULL);
      assertThat(store.state()).isZero();
    }
  }

  @Test
  void allNamespacesTogetherHaveALimit() throws Exception {
    try (Database database = Database.of(settings())) {
      ServiceProfileStore store = new SqlServiceProfiles(database);
      String line = "x".repeat((int) (ServiceProfileStore.MAX_CHARACTERS / 2));
      assertThat(store.put(List.of(profile("a", "m", "t4", line)))).isEqualTo(Upload.STORED);
      assertThat(store.put(List.of(profile("b", "m", "t4", line)))).isEqualTo(Upload.STORED);
      long before = store.state();

      assertThat(store.put(List.of(profile("c", "m", "t4", "x")))).isEqualTo(Upload.STORE_FULL);
      assertThat(store.all()).extracting(Stored::namespace).containsExactly("a", "b");
      assertThat(store.state()).isEqualTo(before);
      assertThat(store.put(List.of(profile("a", "m", "t4", "x")))).isEqualTo(Upload.STORED);
    }
  }

  /** Sums of identities would be the same. */
  @Test
  void everyChangeIsAnotherState() throws Exception {
    try (Database database = Database.of(settings())) {
      ServiceProfileStore store = new SqlServiceProfiles(database);
      List<Long> states = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        store.put(List.of(profile("a", "m" + i, "t4", "line")));
        states.add(store.state());
        store.delete("a", "m" + i, null);
        states.add(store.state());
      }
      assertThat(states).doesNotHaveDuplicates().isSorted();
    }
  }

  @Test
  void uploadsOfANewProfileAtOnceAreAllStored() throws Exception {
    try (Database database = Database.of(settings());
        ExecutorService uploads = Executors.newFixedThreadPool(4)) {
      ServiceProfileStore store = new SqlServiceProfiles(database);
      for (int round = 0; round < 10; round++) {
        String name = "m" + round;
        List<Callable<Upload>> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          String line = "line " + i;
          calls.add(() ->
              store.put(List.of(profile("a", name, "t4", line), profile("a", name, "l4", line))));
        }
        for (Future<Upload> upload : uploads.invokeAll(calls)) {
          assertThat(upload.get()).isEqualTo(Upload.STORED);
        }
      }
      assertThat(store.state()).isEqualTo(40);
      assertThat(store.all()).hasSize(20);
      for (int i = 0; i < 20; i += 2) {
        assertThat(store.all().get(i).line()).isEqualTo(store.all().get(i + 1).line());
      }
    }
  }
}
