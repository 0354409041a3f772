package dev.cotenant.service.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Queries and their answers. */
final class Rows {
  private Rows() {}

  /** Reads one row. */
  @FunctionalInterface
  interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** Every row of a query's answer. */
  static <T> List<T> list(
      Connection connection, String sql, Reader<T> reader, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      set(select, parameters);
      List<T> rows = new ArrayList<>();
      try (ResultSet found = select.executeQuery()) {
        while (found.next()) {
          rows.add(reader.read(found));
        }
      }
      return rows;
    }
  }

  /** Number of rows that a statement changed. */
  static int change(Connection connection, String sql, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      set(statement, parameters);
      return statement.executeUpdate();
    }
  }

  /** An instant as both databases keep it: to the microsecond. */
  static OffsetDateTime timestamp(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
  }

  /** The instant in a column of a row. */
  static Instant instant(ResultSet row, int column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  /** A workload of a namespace, by its key. */
  record Workload(String namespace, String key) {}

  /**
   * A table whose oldest rows are deleted.
   *
   * @param name of the table
   * @param number its column that ascends with every addition
   */
  record Numbered(String name, String number) {
    /** Leaves the newest {@code most} of the rows that meet a condition. */
    void trim(Connection connection, String condition, int most, String... parameters)
        throws SQLException {
      @Nullable Object[] twice = new @Nullable Object[2 * parameters.length];
      for (int i = 0; i < twice.length; i++) {
        twice[i] = parameters[i % parameters.length];
      }
      change(
          connection,
          "DELETE FROM %1$s WHERE %3$s AND %2$s <= (SELECT %2$s FROM %1$s WHERE %3$s ORDER BY %2$s DESC LIMIT 1 OFFSET %4$d)"
              .formatted(name, number, condition, most),
          twice);
    }

    /** Leaves the newest of each of these workloads, of their namespaces, and in all. */
    void trim(Connection connection, Set<Workload> changed, int ofOne, int ofNamespace, int ofAll)
        throws SQLException {
      for (Workload one : changed) {
        trim(connection, "namespace = ? AND workload = ?", ofOne, one.namespace, one.key);
      }
      for (String one : new TreeSet<>(changed.stream().map(Workload::namespace).toList())) {
        trim(connection, "namespace = ?", ofNamespace, one);
      }
      trimEvenly(connection, ofAll);
    }

    /** A number that changes with every addition. */
    long state(Connection connection) throws SQLException {
      return list(
              connection,
              "SELECT CAST(COALESCE(SUM(%s), 0) AS BIGINT) FROM %s".formatted(number, name),
              row -> row.getLong(1))
          .getFirst();
    }

    /**
     * Leaves at most {@code most} rows, the newest of each namespace: all of one that has less than
     * an equal part, so that no namespace takes the rows of others.
     */
    void trimEvenly(Connection connection, int most) throws SQLException {
      record Count(String namespace, int rows) {}
      List<Count> ascending =
          list(
              connection,
              "SELECT namespace, COUNT(*) FROM %s GROUP BY namespace ORDER BY 2".formatted(name),
              row -> new Count(row.getString(1), row.getInt(2)));
      int left = most;
      for (int i = 0; i < ascending.size(); i++) {
        Count count = ascending.get(i);
        int part = left / (ascending.size() - i);
        if (count.rows > part) {
          trim(connection, "namespace = ?", part, count.namespace);
        }
        left -= Math.min(count.rows, part);
      }
    }
  }

  private static void set(PreparedStatement statement, @Nullable Object... parameters)
      throws SQLException {
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
  }
}
