package dev.cotenant.service.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
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

  private static void set(PreparedStatement statement, @Nullable Object... parameters)
      throws SQLException {
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
  }
}
