package dev.cotenant.service.store;

import dev.cotenant.engine.lifecycle.QuotaException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;

/** Files by hash, in parts: neither database is made for values of hundreds of megabytes. */
final class SqlFiles {
  private static final int PART_BYTES = 512 << 10;

  /** Of the embedded database: half of the volume that the chart gives it. */
  private static final long MAX_EMBEDDED_BYTES = 1L << 30;

  private static final long MAX_BYTES = 1L << 34;

  private SqlFiles() {}

  /**
   * Stores a file unless it is there.
   *
   * @throws QuotaException ({@code store-full}) where files together would take too much
   */
  static void put(Connection connection, String sha256, InputStream file) throws SQLException {
    if (parts(connection, sha256) >= 0) {
      return;
    }
    long most = isEmbedded(connection) ? MAX_EMBEDDED_BYTES : MAX_BYTES;
    long stored = storedParts(connection);
    int part = 0;
    for (byte[] bytes = next(file); bytes.length > 0; bytes = next(file)) {
      Rows.change(
          connection,
          "INSERT INTO file_part (sha256, part, content) VALUES (?, ?, ?)",
          sha256,
          part++,
          bytes);
      if ((stored + part) * PART_BYTES > most) {
        throw new QuotaException(
            "store-full",
            "Files of models and predictors are limited to "
                + (most >> 20)
                + " MiB together: nothing was stored; send models without their weights, replace"
                + " models that are no longer used, or use PostgreSQL.");
      }
    }
    Rows.change(connection, "INSERT INTO stored_file (sha256, parts) VALUES (?, ?)", sha256, part);
  }

  private static boolean isEmbedded(Connection connection) throws SQLException {
    return connection.getMetaData().getDatabaseProductName().equals("H2");
  }

  private static long storedParts(Connection connection) throws SQLException {
    return Rows.list(
            connection, "SELECT COALESCE(SUM(parts), 0) FROM stored_file", row -> row.getLong(1))
        .getFirst();
  }

  /** Deletes a file that no model and no version names. */
  static void deleteUnused(Connection connection, String sha256) throws SQLException {
    int deleted =
        Rows.change(
            connection,
            "DELETE FROM stored_file WHERE sha256 = ? AND NOT EXISTS (SELECT 1 FROM"
                + " registered_model WHERE registered_model.sha256 = stored_file.sha256) AND NOT"
                + " EXISTS (SELECT 1 FROM model_version WHERE model_version.sha256 ="
                + " stored_file.sha256)",
            sha256);
    if (deleted > 0) {
      Rows.change(connection, "DELETE FROM file_part WHERE sha256 = ?", sha256);
    }
  }

  private static byte[] next(InputStream file) {
    try {
      return file.readNBytes(PART_BYTES);
    } catch (IOException e) {
      throw new UncheckedIOException("the file cannot be read", e);
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
