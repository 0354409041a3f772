package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.engine.fleet.FleetStore;
import dev.cotenant.engine.fleet.FleetStore.Stored;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What a store of fleets does in every database. */
abstract class FleetsContract {
  private static final Instant THEN = Instant.ofEpochSecond(7);
  private static final Instant LATER = Instant.ofEpochSecond(27);

  /** Of a database that is empty at first, the same throughout a test. */
  protected abstract DatabaseSettings settings() throws Exception;

  @Test
  void nothingIsForgottenByARestart() throws Exception {
    Stored decided;
    try (Database database = Database.of(settings())) {
      FleetStore store = new SqlFleets(database);
      assertThat(store.put("a", "{}", "user anna", THEN)).isTrue();
      Stored stored = store.find("a").orElseThrow();
      assertThat(store.decided(stored, "state", "view", LATER)).isTrue();
      decided = store.find("a").orElseThrow();
    }
    try (Database database = Database.of(settings())) {
      assertThat(new SqlFleets(database).all()).containsExactly(decided);
      assertThat(decided.state()).isEqualTo("state");
      assertThat(decided.view()).isEqualTo("view");
      assertThat(decided.decidedAt()).isEqualTo(LATER);
      assertThat(decided.storedAt()).isEqualTo(THEN);
    }
  }

  @Test
  void ofDecisionsAboutOneStateTheFirstCounts() throws Exception {
    try (Database database = Database.of(settings())) {
      FleetStore store = new SqlFleets(database);
      store.put("a", "{}", "user anna", THEN);
      Stored read = store.find("a").orElseThrow();

      assertThat(store.decided(read, "first", "view", LATER)).isTrue();
      assertThat(store.decided(read, "second", "view", LATER)).isFalse();
      assertThat(store.find("a").orElseThrow().state()).isEqualTo("first");
    }
  }

  @Test
  void aNewDocumentForgetsTheStateAndDecisionsUnderWay() throws Exception {
    try (Database database = Database.of(settings())) {
      FleetStore store = new SqlFleets(database);
      store.put("a", "{}", "user anna", THEN);
      Stored read = store.find("a").orElseThrow();
      store.put("a", "{ }", "user ben", LATER);

      assertThat(store.decided(read, "old", "view", LATER)).isFalse();
      Stored stored = store.find("a").orElseThrow();
      assertThat(stored.document()).isEqualTo("{ }");
      assertThat(stored.state()).isEmpty();
      assertThat(stored.by()).isEqualTo("user ben");
    }
  }

  @Test
  void deletesWhatIsThere() throws Exception {
    try (Database database = Database.of(settings())) {
      FleetStore store = new SqlFleets(database);
      store.put("a", "{}", "user anna", THEN);
      Stored read = store.find("a").orElseThrow();

      assertThat(store.delete("a")).isTrue();
      assertThat(store.delete("a")).isFalse();
      assertThat(store.decided(read, "old", "view", LATER)).isFalse();
      assertThat(store.find("a")).isEmpty();
    }
  }

  @Test
  void fleetsThatAreStoredAtOnceAreNotMoreThanMayBe() throws Exception {
    try (Database database = Database.of(settings());
        ExecutorService callers = Executors.newFixedThreadPool(4)) {
      FleetStore store = new SqlFleets(database);
      List<Callable<Boolean>> calls = new ArrayList<>();
      for (int i = 0; i < FleetStore.MAX_FLEETS + 6; i++) {
        String name = "f" + i;
        calls.add(() -> store.put(name, "{}", "user anna", THEN));
      }
      int taken = 0;
      for (Future<Boolean> call : callers.invokeAll(calls)) {
        taken += call.get() ? 1 : 0;
      }

      assertThat(taken).isEqualTo(FleetStore.MAX_FLEETS);
      assertThat(store.all()).hasSize(FleetStore.MAX_FLEETS);
      assertThat(store.put(store.all().getFirst().name(), "{ }", "user anna", THEN)).isTrue();
    }
  }
}
