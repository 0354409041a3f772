package dev.cotenant.service.store;

import dev.cotenant.engine.lifetime.LifetimeStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lifetimes of pods in SQL. Thread safe. */
public final class SqlLifetimes implements LifetimeStore {
  private final Database database;

  public SqlLifetimes(Database database) {
    this.database = database;
  }

  @Override
  public void add(List<Lifetime> lifetimes) {
    database.transact(connection -> {
      Set<List<String>> changed = new HashSet<>();
      for (Lifetime stay : lifetimes) {
        Rows.change(
            connection,
            "INSERT INTO stay (namespace, workload, seconds, ended_at) VALUES (?, ?, ?, ?)",
            stay.namespace(),
            stay.workload(),
            stay.length().toSeconds(),
            SqlInstants.of(stay.endedAt()));
        changed.add(List.of(stay.namespace(), stay.workload()));
        changed.add(List.of(stay.namespace()));
      }
      for (List<String> some : changed) {
        if (some.size() > 1) {
          trim(connection, "namespace = ? AND workload = ?", OF_ONE, some);
        } else {
          trim(connection, "namespace = ?", OF_NAMESPACE, some);
        }
      }
      trim(connection, "stay_number > 0", OF_ALL, List.of());
      return lifetimes.size();
    });
  }

  private static void trim(
      Connection connection, String condition, int most, List<String> parameters)
      throws SQLException {
    @Nullable Object[] twice = new @Nullable Object[2 * parameters.size()];
    for (int i = 0; i < twice.length; i++) {
      twice[i] = parameters.get(i % parameters.size());
    }
    Rows.change(
        connection,
        "DELETE FROM stay WHERE "
            + condition
            + " AND stay_number <= (SELECT stay_number FROM stay WHERE "
            + condition
            + " ORDER BY stay_number DESC LIMIT 1 OFFSET "
            + most
            + ")",
        twice);
  }

  @Override
  public long state() {
    return database.transact(connection ->
        Rows.list(
                connection,
                "SELECT CAST(COALESCE(SUM(stay_number), 0) AS BIGINT) FROM stay",
                row -> row.getLong(1))
            .getFirst());
  }

  @Override
  public List<Lifetime> all() {
    return database.transact(connection ->
        Rows.list(
            connection,
            "SELECT namespace, workload, seconds, ended_at FROM stay ORDER BY stay_number",
            row ->
                new Lifetime(
                    row.getString(1),
                    row.getString(2),
                    Duration.ofSeconds(row.getLong(3)),
                    SqlInstants.read(row, 4))));
  }
}
