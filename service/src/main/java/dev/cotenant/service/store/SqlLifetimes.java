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
      Set<Rows.Workload> changed = new HashSet<>();
      for (Lifetime stay : lifetimes) {
        Rows.change(
            connection,
            "INSERT INTO stay (namespace, workload, seconds, ended_at) VALUES (?, ?, ?, ?)",
            stay.namespace(),
            stay.workload(),
            stay.length().toSeconds(),
            Rows.timestamp(stay.endedAt()));
        changed.add(new Rows.Workload(stay.namespace(), stay.workload()));
      }
      TABLE.trim(connection, changed, OF_ONE, OF_NAMESPACE, OF_ALL);
      return lifetimes.size();
    });
  }

  @Override
  public long state() {
    return database.transact(TABLE::state);
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
