package dev.cotenant.service.store;

import dev.cotenant.engine.serving.ServiceProfileStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Profiles of services in SQL. Thread safe. */
public final class SqlServiceProfiles implements ServiceProfileStore {
  private final Database database;

  public SqlServiceProfiles(Database database) {
    this.database = database;
  }

  /** Thrown inside a transaction, so that it is undone. */
  private static final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final Upload upload;

    RefusedException(Upload upload) {
      this.upload = upload;
    }
  }

  @Override
  public Upload put(List<Stored> profiles) {
    Map<String, Long> counts =
        profiles.stream()
            .collect(Collectors.groupingBy(Stored::namespace, TreeMap::new, Collectors.counting()));
    if (counts.values().stream().anyMatch(count -> count > MAX_PROFILES)) {
      return Upload.NAMESPACE_FULL;
    }
    try {
      return database.transact(connection -> {
        count(connection);
        for (Stored profile : profiles) {
          replace(connection, profile);
        }
        requireRoom(connection, counts.keySet());
        return Upload.STORED;
      });
    } catch (RefusedException e) {
      return e.upload;
    }
  }

  /** The row lock serializes concurrent transactions. */
  private static void count(Connection connection) throws SQLException {
    Rows.change(connection, "UPDATE service_profile_state SET changes = changes + 1");
  }

  private static void requireRoom(Connection connection, Set<String> namespaces)
      throws SQLException {
    for (String namespace : namespaces) {
      if (number(connection, "SELECT COUNT(*) FROM service_profile WHERE namespace = ?", namespace)
          > MAX_PROFILES) {
        throw new RefusedException(Upload.NAMESPACE_FULL);
      }
    }
    if (number(
            connection,
            "SELECT CAST(COALESCE(SUM(CHAR_LENGTH(line)), 0) AS BIGINT) FROM service_profile")
        > MAX_CHARACTERS) {
      throw new RefusedException(Upload.STORE_FULL);
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
        Rows.timestamp(profile.at()));
  }

  @Override
  public int delete(String namespace, String name, @Nullable String device) {
    return database.transact(connection -> {
      count(connection);
      return Rows.change(
          connection,
          "DELETE FROM service_profile WHERE namespace = ? AND name = ? AND (device = ? OR"
              + " CAST(? AS INTEGER) = 1)",
          namespace,
          name,
          device == null ? "" : device,
          device == null ? 1 : 0);
    });
  }

  @Override
  public long state() {
    return database.transact(
        connection -> number(connection, "SELECT changes FROM service_profile_state"));
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
                    Rows.instant(row, 7))));
  }
}
