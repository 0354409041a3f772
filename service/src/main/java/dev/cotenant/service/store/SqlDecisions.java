package dev.cotenant.service.store;

import dev.cotenant.service.decisions.DecisionStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Decisions in SQL. Thread safe. */
public final class SqlDecisions implements DecisionStore {
  private static final String INSERT =
      "INSERT INTO decision (decided_at, namespace, pod, content, own_content) VALUES (?, ?, ?, ?,"
          + " ?)";

  private final Database database;

  public SqlDecisions(Database database) {
    this.database = database;
  }

  @Override
  public void add(List<Entry> entries) {
    database.transact(connection -> {
      for (Entry entry : entries) {
        long number = insert(connection, entry);
        for (String gpu : entry.gpus()) {
          Rows.change(
              connection,
              "INSERT INTO decision_gpu (gpu, decision_number) VALUES (?, ?) ON CONFLICT DO"
                  + " NOTHING",
              gpu,
              number);
        }
      }
      return entries.size();
    });
  }

  private static long insert(Connection connection, Entry entry) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS)) {
      insert.setLong(1, entry.at().toEpochMilli());
      insert.setString(2, entry.namespace());
      insert.setString(3, entry.pod());
      insert.setString(4, entry.content());
      insert.setString(5, entry.ownContent());
      insert.executeUpdate();
      try (ResultSet keys = insert.getGeneratedKeys()) {
        keys.next();
        return keys.getLong(1);
      }
    }
  }

  @Override
  public List<Stored> newest(Wanted wanted, int limit) {
    List<Object> parameters = new ArrayList<>();
    StringBuilder where = new StringBuilder("decision_number < ?");
    parameters.add(wanted.below());
    if (wanted.namespace() != null) {
      where.append(" AND namespace = ?");
      parameters.add(wanted.namespace());
    }
    if (wanted.pod() != null) {
      where.append(" AND pod = ?");
      parameters.add(wanted.pod());
    }
    if (wanted.gpu() != null) {
      where.append(
          " AND decision_number IN (SELECT decision_number FROM decision_gpu WHERE gpu = ?)");
      parameters.add(wanted.gpu());
    }
    parameters.add(limit);
    return database.transact(connection ->
        Rows.list(
            connection,
            "SELECT decision_number, decided_at, namespace, pod, content, own_content FROM decision"
                + " WHERE "
                + where
                + " ORDER BY decision_number DESC LIMIT ?",
            SqlDecisions::stored,
            parameters.toArray()));
  }

  private static Stored stored(ResultSet row) throws SQLException {
    return new Stored(
        row.getLong(1),
        new Entry(
            Instant.ofEpochMilli(row.getLong(2)),
            row.getString(3),
            row.getString(4),
            List.of(),
            row.getString(5),
            row.getString(6)));
  }

  @Override
  public void trim(Instant before, int most) {
    database.transact(connection ->
        Rows.change(connection, "DELETE FROM decision WHERE decided_at < ?", before.toEpochMilli())
            + Rows.change(
                connection,
                "DELETE FROM decision WHERE decision_number <= (SELECT decision_number FROM"
                    + " decision ORDER BY decision_number DESC LIMIT 1 OFFSET ?)",
                most)
            + Rows.change(
                connection,
                "DELETE FROM decision_gpu WHERE decision_number < (SELECT MIN(decision_number) FROM"
                    + " decision) OR NOT EXISTS (SELECT 1 FROM decision)"));
  }
}
