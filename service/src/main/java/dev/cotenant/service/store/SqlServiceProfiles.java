package dev.cotenant.service.store;

import dev.cotenant.engine.serving.ServiceProfileStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Profiles of services in SQL. Thread safe. */
public final class SqlServiceProfiles implements ServiceProfileStore {
  private final Database database;

  public SqlServiceProfiles(Database database) {
    this.database = database;
  }

  /** Thrown inside a transaction, so that it is undone. */
  private static final class TooManyException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  @Override
  public boolean put(List<Stored> profiles) {
    try {
      return database.transact(connection -> {
        for (Stored profile : profiles) {
          replace(connection, profile);
        }
        for (String namespace : new TreeSet<>(profiles.stream().map(Stored::namespace).toList())) {
          if (number(
                  connection, "SELECT COUNT(*) FROM service_profile WHERE namespace = ?", namespace)
              > MAX_PROFILES) {
            throw new TooManyException();
          }
        }
        return true;
      });
    } catch (TooManyException _) {
      return false;
    }
  }

  private static void replace(Connection connection, Stored profile) throws SQLException {
    Rows.change(
        connection,
        "DELETE FROM service_profile WHERE namespace = ? AND kind = ? AND name = ? AND device = ?",
        profile.namespace(),
        profile.kind(),
        profile.name(),
        profile.device());
    Rows.change(
        connection,
        "INSERT INTO service_profile (namespace, kind, name, device, line, stored_by, stored_at)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?)",
        profile.namespace(),
        profile.kind(),
        profile.name(),
        profile.device(),
        profile.line(),
        profile.by(),
        SqlInstants.of(profile.at()));
  }

  @Override
  public int delete(String namespace, String name, @Nullable String device) {
    return database.transact(connection ->
        Rows.change(
            connection,
            "DELETE FROM service_profile WHERE namespace = ? AND name = ? AND (device = ? OR"
                + " CAST(? AS INTEGER) = 1)",
            namespace,
            name,
            device == null ? "" : device,
            device == null ? 1 : 0));
  }

  @Override
  public long state() {
    return database.transact(connection ->
        number(
            connection,
            "SELECT CAST(COALESCE(SUM(profile_number), 0) AS BIGINT) FROM service_profile"));
  }

  private static long number(Connection connection, String sql, @Nullable Object... parameters)
      throws SQLException {
    return Rows.list(connection, sql, row -> row.getLong(1), parameters).getFirst();
  }

  @Override
  public List<Stored> all() {
    return database.transact(connection ->
        Rows.list(
            connection,
            "SELECT namespace, kind, name, device, line, stored_by, stored_at FROM service_profile"
                + " ORDER BY namespace, kind, name, device",
            row ->
                new Stored(
                    row.getString(1),
                    row.getString(2),
                    row.getString(3),
                    row.getString(4),
                    row.getString(5),
                    row.getString(6),
                    SqlInstants.read(row, 7))));
  }
}
