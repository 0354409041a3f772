package dev.cotenant.service.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Files by hash, in parts: neither database takes hundreds of megabytes in one value gladly. */
final class SqlFiles {
  private static final int PART_BYTES = 512 << 10;

  private SqlFiles() {}

  /** Keeps a file unless it is there. */
  static void put(Connection connection, String sha256, InputStream file) throws SQLException {
    if (parts(connection, sha256) >= 0) {
      return;
    }
    int part = 0;
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO file_part (sha256, part, content) VALUES (?, ?, ?)")) {
      for (byte[] bytes = next(file); bytes.length > 0; bytes = next(file)) {
        insert.setString(1, sha256);
        insert.setInt(2, part++);
        insert.setBytes(3, bytes);
        insert.executeUpdate();
      }
    }
    try (PreparedStatement done =
        connection.prepareStatement("INSERT INTO stored_file (sha256, parts) VALUES (?, ?)")) {
      done.setString(1, sha256);
      done.setInt(2, part);
      done.executeUpdate();
    }
  }

  private static byte[] next(InputStream file) {
    try {
      return file.readNBytes(PART_BYTES);
    } catch (IOException e) {
      throw new UncheckedIOException("the file cannot be read", e);
    }
  }

  /** How many parts a file has; -1 where there is no such file. */
  static int parts(Connection connection, String sha256) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT parts FROM stored_file WHERE sha256 = ?")) {
      select.setString(1, sha256);
      try (ResultSet found = select.executeQuery()) {
        return found.next() ? found.getInt(1) : -1;
      }
    }
  }

  static byte[] part(Connection connection, String sha256, int part) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT content FROM file_part WHERE sha256 = ? AND part = ?")) {
      select.setString(1, sha256);
      select.setInt(2, part);
      try (ResultSet found = select.executeQuery()) {
        if (!found.next()) {
          throw new SQLException("part " + part + " of file " + sha256 + " is missing");
        }
        return found.getBytes(1);
      }
    }
  }
}
