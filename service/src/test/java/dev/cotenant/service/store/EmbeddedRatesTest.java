package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.engine.rate.RateStore;
import dev.cotenant.engine.rate.RateStore.HourlyRate;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedRatesTest {
  @TempDir Path directory;

  private static HourlyRate rate(String namespace, String workload, double perSecond, int hour) {
    return new HourlyRate(
        namespace,
        workload,
        perSecond,
        Instant.parse("2026-11-21T12:00:00Z").plus(Duration.ofHours(hour)));
  }

  @Test
  void nothingIsForgottenByARestart() {
    List<HourlyRate> all = List.of(rate("team-a", "one", 5, 0), rate("team-b", "one", 6, 0));
    long state;
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      RateStore store = new SqlRates(database);
      long before = store.state();
      store.add(all);
      state = store.state();
      assertThat(state).isNotEqualTo(before);
    }
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      RateStore store = new SqlRates(database);
      assertThat(store.all()).isEqualTo(all);
      assertThat(store.state()).isEqualTo(state);
    }
  }

  /** Replicas, and a later leader that reads the hour again. */
  @Test
  void ofAnHourTheLargestStays() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      RateStore store = new SqlRates(database);
      store.add(List.of(rate("team-a", "one", 5, 0), rate("team-a", "one", 8, 0)));
      long state = store.state();
      store.add(List.of(rate("team-a", "one", 7, 0), rate("team-a", "one", 8, 0)));
      assertThat(store.all()).containsExactly(rate("team-a", "one", 8, 0));
      assertThat(store.state()).isEqualTo(state);

      store.add(List.of(rate("team-a", "one", 9, 0), rate("team-a", "one", 1, 1)));
      assertThat(store.all())
          .containsExactly(rate("team-a", "one", 9, 0), rate("team-a", "one", 1, 1));
      assertThat(store.state()).isNotEqualTo(state);
    }
  }

  @Test
  void aNamespaceTakesNoRowsOfOthers() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      RateStore store = new SqlRates(database);
      store.add(List.of(rate("team-a", "one", 1, 0), rate("team-a", "two", 1, 0)));
      for (String large : List.of("team-b", "team-c")) {
        store.add(IntStream.range(0, 9).mapToObj(hour -> rate(large, "one", 1, hour)).toList());
      }

      database.transact(connection -> {
        new Rows.Numbered("hourly_rate", "rate_number").trimEvenly(connection, 9);
        return 0;
      });

      assertThat(store.all())
          .containsExactly(
              rate("team-a", "one", 1, 0),
              rate("team-a", "two", 1, 0),
              rate("team-b", "one", 1, 6),
              rate("team-b", "one", 1, 7),
              rate("team-b", "one", 1, 8),
              rate("team-c", "one", 1, 5),
              rate("team-c", "one", 1, 6),
              rate("team-c", "one", 1, 7),
              rate("team-c", "one", 1, 8));
    }
  }

  @Test
  void aWorkloadHasAWeekAndANamespaceAQuota() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      RateStore store = new SqlRates(database);
      store.add(List.of(rate("team-b", "one", 2, 0)));
      store.add(
          IntStream.range(0, RateStore.OF_ONE + 3)
              .mapToObj(hour -> rate("team-a", "one", 1, hour))
              .toList());
      assertThat(store.all())
          .filteredOn(rate -> rate.namespace().equals("team-a"))
          .hasSize(RateStore.OF_ONE)
          .first()
          .isEqualTo(rate("team-a", "one", 1, 3));

      store.add(
          IntStream.range(0, RateStore.OF_NAMESPACE + 5)
              .mapToObj(number -> rate("team-a", "workload-" + number, 1, 0))
              .toList());
      assertThat(store.all()).hasSize(RateStore.OF_NAMESPACE + 1);
      assertThat(store.all()).contains(rate("team-b", "one", 2, 0));
    }
  }
}
