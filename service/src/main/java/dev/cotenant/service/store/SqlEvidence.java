package dev.cotenant.service.store;

import dev.cotenant.service.evidence.EvidenceStore;
import dev.cotenant.service.evidence.Observed;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Counts in SQL. Thread safe. */
public final class SqlEvidence implements EvidenceStore {
  private final Database database;

  public SqlEvidence(Database database) {
    this.database = database;
  }

  @Override
  public void add(Map<Key, Long> counts) {
    database.transact(connection -> {
      for (Map.Entry<Key, Long> count : counts.entrySet()) {
        add(connection, count.getKey(), count.getValue());
      }
      return counts.size();
    });
  }

  /** Of replicas that count the first of a day together, one inserts and the others add. */
  private static void add(Connection connection, Key key, long amount) throws SQLException {
    if (addTo(connection, key, amount) == 0) {
      int inserted =
          Rows.change(
              connection,
              "INSERT INTO evidence (namespace, kind, at_day, amount) VALUES (?, ?, ?, ?)"
                  + " ON CONFLICT DO NOTHING",
              key.namespace(),
              name(key.kind()),
              key.day(),
              amount);
      if (inserted == 0) {
        addTo(connection, key, amount);
      }
    }
  }

  private static int addTo(Connection connection, Key key, long amount) throws SQLException {
    return Rows.change(
        connection,
        "UPDATE evidence SET amount = amount + ? WHERE namespace = ? AND kind = ? AND at_day = ?",
        amount,
        key.namespace(),
        name(key.kind()),
        key.day());
  }

  private static String name(Observed kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public List<Entry> all() {
    return database.transact(connection ->
        Rows.list(
            connection,
            "SELECT namespace, kind, at_day, amount FROM evidence ORDER BY namespace, at_day, kind",
            row ->
                new Entry(
                    new Key(
                        row.getString(1),
                        Observed.valueOf(row.getString(2).toUpperCase(Locale.ROOT)),
                        row.getLong(3)),
                    row.getLong(4))));
  }

  @Override
  public void trim(long beforeDay) {
    database.transact(
        connection -> Rows.change(connection, "DELETE FROM evidence WHERE at_day < ?", beforeDay));
  }
}
