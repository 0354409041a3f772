package dev.cotenant.service.store;

import dev.cotenant.service.cluster.GpuClaims;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** Claims of one replica in SQL. Thread safe. */
public final class SqlGpuClaims implements GpuClaims {
  private final Database database;
  private final String observer = UUID.randomUUID().toString();

  public SqlGpuClaims(Database database) {
    this.database = database;
  }

  @Override
  public Set<String> claim(Set<String> gpus, Instant now, Instant until) {
    if (gpus.isEmpty()) {
      return Set.of();
    }
    return database.transact(connection -> {
      Rows.change(connection, "DELETE FROM observed_gpu WHERE until_at < ?", now.toEpochMilli());
      Set<String> claimed = new HashSet<>();
      for (String gpu : new TreeSet<>(gpus)) { // in one order in all replicas, which wait for rows
        if (claim(connection, gpu, until)) {
          claimed.add(gpu);
        }
      }
      return claimed;
    });
  }

  private boolean claim(Connection connection, String gpu, Instant until) throws SQLException {
    return Rows.change(
                connection,
                "UPDATE observed_gpu SET until_at = ? WHERE gpu = ? AND observer = ?",
                until.toEpochMilli(),
                gpu,
                observer)
            > 0
        || Rows.change(
                connection,
                "INSERT INTO observed_gpu (gpu, observer, until_at) VALUES (?, ?, ?)"
                    + " ON CONFLICT DO NOTHING",
                gpu,
                observer,
                until.toEpochMilli())
            > 0;
  }
}
