package dev.cotenant.service.store;

import dev.cotenant.engine.lifecycle.QuotaException;
import dev.cotenant.engine.profile.ProfileStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Keeps the number of stored rows within the limits of {@link ProfileStore}. */
final class ProfileRoom {
  /** A twentieth is deleted at once: after each deletion every replica reads all rows again. */
  private static final int PARTS = 20;

  private ProfileRoom() {}

  /**
   * Makes room after rows of a namespace were inserted, in their transaction.
   *
   * @throws QuotaException ({@code too-many-rows}) where the shared scope is full
   */
  static void make(Connection connection, String namespace) throws SQLException {
    long own = count(connection, "SELECT COUNT(*) FROM profile WHERE namespace = ?", namespace);
    if (namespace.equals(ProfileStore.SHARED)) {
      requireRoom(own);
      return;
    }
    if (own > ProfileStore.MAX_OF_NAMESPACE) {
      deleteOldest(connection, namespace, own - ProfileStore.MAX_OF_NAMESPACE);
    }
    long all =
        count(connection, "SELECT COUNT(*) FROM profile WHERE namespace <> ?", ProfileStore.SHARED);
    if (all > ProfileStore.MAX_OF_NAMESPACES) {
      deleteOldest(connection, largest(connection), all - ProfileStore.MAX_OF_NAMESPACES);
    }
  }

  private static void requireRoom(long shared) {
    if (shared > ProfileStore.MAX_SHARED) {
      throw new QuotaException(
          "too-many-rows",
          "Shared rows are limited to "
              + ProfileStore.MAX_SHARED
              + ": nothing was stored; add rows of one team with its namespace, or delete old ones"
              + " from the table 'profile'.");
    }
  }

  private static String largest(Connection connection) throws SQLException {
    return Rows.list(
            connection,
            "SELECT namespace FROM profile WHERE namespace <> ? GROUP BY namespace ORDER BY"
                + " COUNT(*) DESC, namespace LIMIT 1",
            row -> row.getString(1),
            ProfileStore.SHARED)
        .getFirst();
  }

  private static void deleteOldest(Connection connection, String namespace, long tooMany)
      throws SQLException {
    Rows.change(
        connection,
        "DELETE FROM profile WHERE profile_number IN (SELECT profile_number FROM profile WHERE"
            + " namespace = ? ORDER BY profile_number LIMIT ?)",
        namespace,
        tooMany + ProfileStore.MAX_OF_NAMESPACE / PARTS);
  }

  private static long count(Connection connection, String sql, String namespace)
      throws SQLException {
    List<Long> counts = Rows.list(connection, sql, row -> row.getLong(1), namespace);
    return counts.getFirst();
  }
}
