package dev.cotenant.service.store;

import dev.cotenant.admission.fill.FillOomKill;
import dev.cotenant.admission.fill.FillOomKills;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Collectors;

/** Kills of filled pods in SQL, so that all replicas and later processes count them. */
public final class SqlFillOomKills {
  private final Database database;
  private final FillOomKills kills;
  private final InstantSource clock;

  public SqlFillOomKills(Database database, FillOomKills kills, InstantSource clock) {
    this.database = database;
    this.kills = kills;
    this.clock = clock;
  }

  /**
   * Stores what this process saw, and learns what others did; what is too old to count is deleted,
   * and of each namespace all but the newest.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when the store cannot be reached; kills
   *     are offered again
   */
  public void exchange() {
    List<FillOomKill> own = kills.unshared();
    if (!own.isEmpty()) {
      add(own);
      kills.shared(own);
    }
    kills.learn(all());
  }

  private void add(List<FillOomKill> seen) {
    database.transact(connection -> {
      for (FillOomKill kill : seen) {
        Rows.change(
            connection,
            "INSERT INTO fill_kill (pod_uid, namespace, workload, bytes, seen_at) SELECT ?, ?, ?,"
                + " ?, ? WHERE NOT EXISTS (SELECT 1 FROM fill_kill WHERE pod_uid = ?)",
            kill.uid(),
            kill.namespace(),
            kill.workload(),
            kill.memory().bytes(),
            Rows.timestamp(kill.at()),
            kill.uid());
      }
      Rows.change(
          connection,
          "DELETE FROM fill_kill WHERE seen_at < ?",
          Rows.timestamp(clock.instant().minus(FillOomKills.MEMORY)));
      for (String namespace :
          seen.stream().map(FillOomKill::namespace).collect(Collectors.toSet())) {
        Rows.change(
            connection,
            "DELETE FROM fill_kill WHERE namespace = ? AND seen_at < (SELECT seen_at FROM fill_kill"
                + " WHERE namespace = ? ORDER BY seen_at DESC LIMIT 1 OFFSET ?)",
            namespace,
            namespace,
            FillOomKills.OF_NAMESPACE - 1);
      }
      return seen.size();
    });
  }

  private List<FillOomKill> all() {
    return database.transact(connection ->
        Rows.list(
            connection,
            "SELECT pod_uid, namespace, workload, bytes, seen_at FROM fill_kill ORDER BY seen_at"
                + " DESC LIMIT "
                + FillOomKills.OF_ALL,
            row ->
                new FillOomKill(
                    row.getString(1),
                    row.getString(2),
                    row.getString(3),
                    MemorySize.ofBytes(row.getLong(4)),
                    Rows.instant(row, 5))));
  }
}
