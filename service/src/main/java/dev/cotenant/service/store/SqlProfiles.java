package dev.cotenant.service.store;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.engine.lifecycle.QuotaException;
import dev.cotenant.engine.profile.ProfileFields;
import dev.cotenant.engine.profile.ProfileRowReader;
import dev.cotenant.engine.profile.ProfileStore;
import dev.cotenant.engine.profile.StoredProfile;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Profile rows in SQL; each as its fields, one {@code name=value} a line. */
final class SqlProfiles implements ProfileStore {
  private static final Logger LOG = Logger.getLogger(SqlProfiles.class);

  /** Causes have figures of rows in them. */
  private static final int MAX_WARNINGS = 100;

  private final Database database;
  private final Supplier<DeviceCatalogue> devices;
  private final Set<String> warned = ConcurrentHashMap.newKeySet();

  /** A stored row. */
  private record Line(
      long number, String contentHash, String fields, Instant receivedAt, String namespace) {}

  SqlProfiles(Database database, Supplier<DeviceCatalogue> devices) {
    this.database = database;
    this.devices = devices;
  }

  @Override
  public List<Boolean> add(String namespace, List<ProfileRow> rows, Instant at) {
    return database.transact(connection -> {
      List<Boolean> added = new ArrayList<>(rows.size());
      for (ProfileRow row : rows) {
        int inserted =
            Rows.change(
                connection,
                "INSERT INTO profile (content_hash, family, device, source, fields, received_at,"
                    + " namespace) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                ProfileFields.contentHash(namespace, row),
                row.family(),
                row.device().value(),
                row.source(),
                lines(ProfileFields.of(row)),
                Rows.timestamp(at),
                namespace);
        added.add(inserted == 1);
      }
      RowLimits.enforce(connection, namespace);
      return added;
    });
  }

  /** No value holds a line break: the reader of rows refuses control characters. */
  private static String lines(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining("\n"));
  }

  private static Map<String, String> fields(String lines) {
    Map<String, String> fields = new LinkedHashMap<>();
    lines.lines().map(line -> line.split("=", 2)).forEach(pair -> fields.put(pair[0], pair[1]));
    return fields;
  }

  @Override
  public boolean remove(long number) {
    return database.transact(connection ->
        Rows.change(connection, "DELETE FROM profile WHERE profile_number = ?", number) == 1);
  }

  @Override
  public int removeFrom(String source) {
    return database.transact(
        connection -> Rows.change(connection, "DELETE FROM profile WHERE source = ?", source));
  }

  @Override
  public long count() {
    return database.transact(SqlProfiles::count);
  }

  private static long count(Connection connection) throws SQLException {
    return Rows.list(connection, "SELECT COUNT(*) FROM profile", row -> row.getLong(1)).getFirst();
  }

  @Override
  public List<StoredProfile> page(long after, int limit, Selection selection) {
    ProfileRowReader reader =
        new ProfileRowReader(devices.get(), ProfileRowReader.RegisteredFeatures.NONE);
    List<StoredProfile> readable = new ArrayList<>();
    long from = after;
    List<Line> lines;
    int wanted;
    do {
      wanted = limit - readable.size();
      lines = lines(from, wanted, selection);
      for (Line line : lines) {
        profile(line, reader).ifPresent(readable::add);
        from = line.number;
      }
    } while (lines.size() == wanted && readable.size() < limit);
    return readable;
  }

  @Override
  public List<StoredProfile> newest(int limit, String namespace, String device) {
    ProfileRowReader reader =
        new ProfileRowReader(devices.get(), ProfileRowReader.RegisteredFeatures.NONE);
    List<Line> lines =
        database.transact(connection ->
            Rows.list(
                connection,
                "SELECT profile_number, content_hash, fields, received_at, namespace FROM profile"
                    + " WHERE namespace IN (?, ?) AND device = ? ORDER BY profile_number DESC LIMIT"
                    + " ?",
                SqlProfiles::line,
                SHARED,
                namespace,
                device,
                limit));
    return lines.stream().flatMap(line -> profile(line, reader).stream()).toList();
  }

  private List<Line> lines(long after, int limit, Selection selection) {
    StringBuilder sql =
        new StringBuilder(
            "SELECT profile_number, content_hash, fields, received_at, namespace FROM profile WHERE"
                + " profile_number > ?");
    List<Object> parameters = new ArrayList<>(List.of(after));
    select("source", selection.source(), sql, parameters);
    select("device", selection.device(), sql, parameters);
    sql.append(" ORDER BY profile_number LIMIT ?");
    parameters.add(limit);
    return database.transact(connection ->
        Rows.list(connection, sql.toString(), SqlProfiles::line, parameters.toArray()));
  }

  private static void select(
      String column, @Nullable String value, StringBuilder sql, List<Object> parameters) {
    if (value != null) {
      sql.append(" AND ").append(column).append(" = ?");
      parameters.add(value);
    }
  }

  private static Line line(ResultSet row) throws SQLException {
    return new Line(
        row.getLong(1), row.getString(2), row.getString(3), Rows.instant(row, 4), row.getString(5));
  }

  /** Empty, with a warning, where it is not readable: its device may be gone. */
  private Optional<StoredProfile> profile(Line line, ProfileRowReader reader) {
    try {
      ProfileRow row = reader.read(fields(line.fields));
      return Optional.of(
          new StoredProfile(line.number, line.contentHash, row, line.receivedAt, line.namespace));
    } catch (InputException e) {
      String message = String.valueOf(e.getMessage());
      if (warned.size() < MAX_WARNINGS && warned.add(message)) {
        LOG.warnf(
            "Measured run %d is skipped, as are all with the same cause: %s", line.number, message);
      }
      return Optional.empty();
    }
  }

  /** Keeps the number of stored rows within the limits of {@link ProfileStore}. */
  private static final class RowLimits {
    /** A twentieth is deleted at once: after each deletion every replica reads all rows again. */
    private static final int PARTS = 20;

    private RowLimits() {}

    /**
     * Deletes the oldest rows after rows of a namespace were inserted, in their transaction.
     *
     * @throws QuotaException ({@code too-many-rows}) where the shared scope is full
     */
    static void enforce(Connection connection, String namespace) throws SQLException {
      long own = count(connection, "SELECT COUNT(*) FROM profile WHERE namespace = ?", namespace);
      if (namespace.equals(ProfileStore.SHARED)) {
        requireCapacity(own);
        return;
      }
      if (own > ProfileStore.MAX_OF_NAMESPACE) {
        deleteOldest(connection, namespace, own - ProfileStore.MAX_OF_NAMESPACE);
      }
      long all =
          count(
              connection, "SELECT COUNT(*) FROM profile WHERE namespace <> ?", ProfileStore.SHARED);
      if (all > ProfileStore.MAX_OF_NAMESPACES) {
        deleteOldest(connection, largest(connection), all - ProfileStore.MAX_OF_NAMESPACES);
      }
    }

    private static void requireCapacity(long shared) {
      if (shared > ProfileStore.MAX_SHARED) {
        throw new QuotaException(
            "too-many-rows",
            "Shared rows are limited to "
                + ProfileStore.MAX_SHARED
                + ": nothing was stored; add rows of one team with its namespace, or delete old"
                + " ones from the table 'profile'.");
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
}
