package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.engine.risk.MeasuredSpeed;
import dev.cotenant.engine.risk.SpeedMemory;
import dev.cotenant.engine.risk.SpeedQuota;
import dev.cotenant.engine.risk.SpeedSource;
import dev.cotenant.engine.risk.SpeedStore;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.VictimColocation;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedSpeedsTest {
  private static final SharedJob OWN =
      new SharedJob("1.0E9/2 b32 {mode=training}", "1.0E9/2", 1, 0);
  private static final SharedJob OTHER = new SharedJob("other b1", "other", 0.31, 0.155);
  private static final VictimColocation PAIR = new VictimColocation("t4", OWN, List.of(OTHER));

  @TempDir Path directory;

  private int rows;

  private MeasuredSpeed row(String namespace, double speed, SharedJob... neighbours) {
    Instant at = Instant.EPOCH.plus(SpeedQuota.INTERVAL.multipliedBy(rows++));
    return new MeasuredSpeed(
        namespace, "pod-0", "t4", OWN, List.of(neighbours), speed, at, SpeedSource.PROGRESS, "");
  }

  @Test
  void nothingIsForgottenByARestart() {
    List<MeasuredSpeed> rows =
        List.of(
            row("team-a", 100),
            row("team-a", 101.5),
            row("team-a", 61.25, OTHER),
            row("team-a", 1e-3, OTHER, OWN),
            new MeasuredSpeed(
                "team-a",
                "pod-1",
                "t4",
                OWN,
                List.of(),
                1 / 900.0,
                Instant.EPOCH,
                SpeedSource.DURATION,
                "Job/nightly"));
    double known;
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      SpeedStore store = new SqlSpeeds(database);
      store.add(rows);
      store.add(List.of(row("team-b", 5)));
      known = risk(store);
    }
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      SpeedStore store = new SqlSpeeds(database);
      assertThat(store.of("team-a")).isEqualTo(rows);
      assertThat(store.newest()).containsOnlyKeys("team-a", "team-b");
      assertThat(risk(store)).isEqualTo(known);
      assertThat(known)
          .isNotEqualTo(
              new SpeedMemory(store, InstantSource.system()).of("team-a").risk(PAIR, 1.15));
    }
  }

  private static double risk(SpeedStore store) {
    SpeedMemory memory = new SpeedMemory(store, InstantSource.system());
    for (int i = 0; i < store.newest().size(); i++) {
      memory.refresh();
    }
    return memory.of("team-a").risk(PAIR, 1.15);
  }

  @Test
  void rowsBeyondTheQuotaAreDeleted() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      SpeedStore store = new SqlSpeeds(database);
      store.add(List.of(row("team-b", 7)));
      List<MeasuredSpeed> many = new ArrayList<>();
      for (int i = 0; i < SpeedQuota.ROWS_OF_ONE + 3; i++) {
        many.add(row("team-a", 1 + i));
      }
      store.add(many);

      assertThat(store.of("team-a")).isEqualTo(many.subList(3, many.size()));
      assertThat(store.of("team-b")).hasSize(1);
    }
  }

  @Test
  void aRowThatIsCommittedLateIsNew() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      SpeedStore store = new SqlSpeeds(database);
      store.add(List.of(row("team-a", 1), row("team-a", 2)));
      database.transact(connection ->
          Rows.change(connection, "UPDATE measured_speed SET speed_number = speed_number + 10"));
      long before = store.newest().getOrDefault("team-a", 0L);
      database.transact(connection ->
          Rows.change(
              connection,
              "INSERT INTO measured_speed SELECT 5, namespace, pod, device, job, neighbours,"
                  + " speed, measured_at, source, work FROM measured_speed WHERE speed_number ="
                  + " 11"));

      assertThat(store.newest().getOrDefault("team-a", 0L)).isNotEqualTo(before);
    }
  }
}
