package dev.cotenant.service.store;

import dev.cotenant.engine.lifetime.LifetimeStore;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Lifetimes of pods in SQL. Thread safe. */
public final class SqlLifetimes implements LifetimeStore {
  private static final Rows.Numbered TABLE = new Rows.Numbered("stay", "stay_number");

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
            Rows.timestamp(stay.endedAt()));
        changed.add(List.of(stay.namespace(), stay.workload()));
        changed.add(List.of(stay.namespace()));
      }
      for (List<String> some : changed) {
        if (some.size() > 1) {
          TABLE.trim(
              connection,
              "namespace = ? AND workload = ?",
              OF_ONE,
              some.getFirst(),
              some.getLast());
        } else {
          TABLE.trim(connection, "namespace = ?", OF_NAMESPACE, some.getFirst());
        }
      }
      TABLE.trimEvenly(connection, OF_ALL);
      return lifetimes.size();
    });
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
                    Rows.instant(row, 4))));
  }
}
