package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.fill.FillOomKills;
import dev.cotenant.domain.quantity.MemorySize;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedFillOomKillsTest {
  private static final MemorySize FILLED = MemorySize.ofGiB(8);

  @TempDir Path directory;
  private Instant now = Instant.parse("2026-11-24T03:00:00Z");
  private final InstantSource clock = () -> now;

  private void exchange(Database database, FillOomKills kills) {
    new SqlFillOomKills(database, kills, clock).exchange();
  }

  @Test
  void replicasCountEachPodOnce() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      FillOomKills one = new FillOomKills(clock);
      FillOomKills other = new FillOomKills(clock);
      one.add("u1", "team-a", "w", FILLED);
      other.add("u1", "team-a", "w", FILLED);
      other.add("u2", "team-a", "v", FILLED);

      exchange(database, one);
      exchange(database, other);
      exchange(database, one);

      assertThat(one.ofWeek("team-a")).isEqualTo(2);
      assertThat(other.ofWeek("team-a")).isEqualTo(2);
      assertThat(one.tooLittle("team-a", "v")).contains(FILLED);
      assertThat(one.tooLittle("team-b", "v")).isEmpty();
      assertThat(one.unshared()).isEmpty();
    }
  }

  @Test
  void aRestartForgetsNothingButWhatIsTooOld() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      FillOomKills kills = new FillOomKills(clock);
      kills.add("u1", "team-a", "w", FILLED);
      exchange(database, kills);
    }
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      FillOomKills later = new FillOomKills(clock);
      exchange(database, later);
      assertThat(later.tooLittle("team-a", "w")).contains(FILLED);

      now = now.plus(FillOomKills.MEMORY).plus(Duration.ofMinutes(1));
      later.add("u2", "team-a", "v", FILLED);
      exchange(database, later);
      assertThat(later.tooLittle("team-a", "w")).isEmpty();
      assertThat(later.ofWeek("team-a")).isOne();
    }
  }

  @Test
  void aNamespaceTakesNoKillsOfOthers() {
    try (Database database = Database.of(DatabaseSettings.embedded(directory))) {
      FillOomKills first = new FillOomKills(clock);
      first.add("first", "team-b", "w", FILLED);
      exchange(database, first);
      FillOomKills flooding = new FillOomKills(clock);
      for (int i = 0; i < 2 * FillOomKills.OF_NAMESPACE; i++) {
        now = now.plusSeconds(1);
        flooding.add("u" + i, "team-a", "w" + i, FILLED);
      }
      exchange(database, flooding);

      int stored =
          database.transact(connection ->
              Rows.list(connection, "SELECT COUNT(*) FROM fill_kill", row -> row.getInt(1))
                  .getFirst());
      assertThat(stored).isEqualTo(FillOomKills.OF_NAMESPACE + 1);
      FillOomKills later = new FillOomKills(clock);
      exchange(database, later);
      assertThat(later.tooLittle("team-b", "w")).contains(FILLED);
      assertThat(later.ofWeek("team-a")).isEqualTo(FillOomKills.OF_NAMESPACE);
    }
  }

  /** A namespace with ever new kills takes nothing from another, and none counts for ever. */
  @Test
  void aNamespaceHasAQuota() {
    FillOomKills kills = new FillOomKills(clock);
    kills.add("first", "team-b", "w", FILLED);
    for (int i = 0; i < FillOomKills.OF_NAMESPACE + 5; i++) {
      now = now.plusSeconds(1);
      kills.add("u" + i, "team-a", "w" + i, FILLED);
    }

    assertThat(kills.ofWeek("team-a")).isEqualTo(FillOomKills.OF_NAMESPACE);
    assertThat(kills.ofWeek("team-b")).isOne();
    assertThat(kills.tooLittle("team-a", "w0")).isEmpty();
    now = now.plus(FillOomKills.BUDGET_TIME);
    assertThat(kills.ofWeek("team-a")).isZero();
  }
}
