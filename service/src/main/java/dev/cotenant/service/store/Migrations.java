package dev.cotenant.service.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;

/**
 * Brings a database's schema up to date: SQL files that are applied in order, the same for both
 * databases. The version is written after its statements, which may run again, so that a crash
 * between them is made good by the next start; of replicas that start together the slower ones meet
 * what the first has made, and look again.
 */
final class Migrations {
  private static final List<String> FILES = List.of("V1__life_cycle.sql");
  private static final int ATTEMPTS = 20;

  private final Connection connection;

  Migrations(Connection connection) {
    this.connection = connection;
  }

  /**
   * Applies what is missing.
   *
   * @throws SQLException also when a newer Cotenant wrote the schema
   */
  void run() throws SQLException {
    for (int attempt = 1; ; attempt++) {
      try {
        apply();
        return;
      } catch (SQLException e) {
        if (attempt == ATTEMPTS || !isRace(e)) {
          throw e;
        }
      }
    }
  }

  /** Another replica was first: a key, a table or a type is there by now. */
  private static boolean isRace(SQLException e) {
    return Database.isUniqueViolation(e)
        || "42P07".equals(e.getSQLState())
        || "42710".equals(e.getSQLState());
  }

  private void apply() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, file"
              + " VARCHAR(200) NOT NULL)");
    }
    int present = present();
    if (present > FILES.size()) {
      throw new SQLException(
          "its schema has version "
              + present
              + ", this Cotenant knows "
              + FILES.size()
              + ": start the newer Cotenant");
    }
    for (int version = present + 1; version <= FILES.size(); version++) {
      int number = version;
      Database.inTransaction(connection, c -> apply(number, FILES.get(number - 1)));
    }
  }

  private int present() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery("SELECT COALESCE(MAX(version), 0) FROM schema_version")) {
      found.next();
      return found.getInt(1);
    }
  }

  private int apply(int version, String file) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : read(file).replaceAll("(?m)^--.*$", "").split(";", -1)) {
        if (!sql.isBlank()) {
          statement.execute(sql);
        }
      }
    }
    try (PreparedStatement done =
        connection.prepareStatement("INSERT INTO schema_version (version, file) VALUES (?, ?)")) {
      done.setInt(1, version);
      done.setString(2, file);
      done.executeUpdate();
    }
    return version;
  }

  private static String read(String file) {
    try (InputStream in =
        Objects.requireNonNull(Migrations.class.getResourceAsStream(file), file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
