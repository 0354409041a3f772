package dev.cotenant.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.service.cluster.GpuClaims;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What claims of two replicas do in every database. */
abstract class GpuClaimsContract {
  private static final Instant START = Instant.parse("2026-11-24T12:00:00Z");
  private static final Duration TERM = Duration.ofMinutes(5);

  /** Of a database that is empty at first. */
  protected abstract DatabaseSettings settings() throws Exception;

  @Test
  void aGpuIsOfTheReplicaThatClaimedItFirstUntilItStops() throws Exception {
    try (Database database = Database.of(settings())) {
      GpuClaims one = new SqlGpuClaims(database);
      GpuClaims other = new SqlGpuClaims(database);
      assertThat(claim(one, START, "a", "b")).containsExactlyInAnyOrder("a", "b");
      assertThat(claim(other, START, "b", "c")).containsExactly("c");

      Instant again = START.plus(Duration.ofMinutes(4));
      assertThat(claim(one, again, "a")).containsExactly("a");
      Instant later = START.plus(Duration.ofMinutes(6));
      assertThat(claim(other, later, "a", "b")).containsExactly("b");
      assertThat(claim(one, later, "a", "b")).containsExactly("a");
      assertThat(claim(one, later)).isEmpty();
    }
  }

  private static Set<String> claim(GpuClaims claims, Instant now, String... gpus) {
    return claims.claim(Set.of(gpus), now, now.plus(TERM));
  }
}
