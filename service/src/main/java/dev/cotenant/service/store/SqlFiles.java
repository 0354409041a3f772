package dev.cotenant.service.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;

/** Files by hash, in parts: neither database is made for values of hundreds of megabytes. */
final class SqlFiles {
  private static final int PART_BYTES = 512 << 10;

  private SqlFiles() {}

  /** Stores a file unless it is there. */
  static void put(Connection connection, String sha256, InputStream file) throws SQLException {
    if (parts(connection, sha256) >= 0) {
      return;
    }
    int part = 0;
    for (byte[] bytes = next(file); bytes.length > 0; bytes = next(file)) {
      Rows.change(
          connection,
          "INSERT INTO file_part (sha256, part, content) VALUES (?, ?, ?)",
          sha256,
          part++,
          bytes);
    }
    Rows.change(connection, "INSERT INTO stored_file (sha256, parts) VALUES (?, ?)", sha256, part);
  }

  private static byte[] next(InputStream file) {
    try {
      return file.readNBytes(PART_BYTES);
    } catch (IOException e) {
      throw new UncheckedIOException("the file cannot be read", e);
    }
  }

  /** Removes a file that neither a model nor a version names. */
  static void removeUnused(Connection connection, String sha256) throws SQLException {
    int removed =
        Rows.change(
            connection,
            "DELETE FROM stored_file WHERE sha256 = ? AND NOT EXISTS (SELECT 1 FROM"
                + " registered_model WHERE sha256 = ?) AND NOT EXISTS (SELECT 1 FROM model_version"
                + " WHERE sha256 = ?)",
            sha256,
            sha256,
            sha256);
    if (removed == 1) {
      Rows.change(connection, "DELETE FROM file_part WHERE sha256 = ?", sha256);
    }
  }

  /** Number of parts; -1 for an unknown file. */
  static int parts(Connection connection, String sha256) throws SQLException {
    return Rows.list(
            connection,
            "SELECT parts FROM stored_file WHERE sha256 = ?",
            row -> row.getInt(1),
            sha256)
        .stream()
        .findFirst()
        .orElse(-1);
  }

  static byte[] part(Connection connection, String sha256, int part) throws SQLException {
    return Rows.list(
            connection,
            "SELECT content FROM file_part WHERE sha256 = ? AND part = ?",
            row -> row.getBytes(1),
            sha256,
            part)
        .stream()
        .findFirst()
        .orElseThrow(() -> new SQLException("part " + part + " of file " + sha256 + " is missing"));
  }
}
