package dev.cotenant.service.store;

import dev.cotenant.domain.text.Sha256;
import dev.cotenant.engine.serving.ServingStart;
import dev.cotenant.engine.serving.ServingStore;
import dev.cotenant.engine.serving.ServingVersion;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Measured starts of servers and versions of their constants in SQL. Thread safe. */
public final class SqlServing implements ServingStore {
  private final Database database;

  public SqlServing(Database database) {
    this.database = database;
  }

  @Override
  public List<Boolean> add(List<ServingStart> starts) {
    return database.transact(connection -> {
      List<Boolean> added = new ArrayList<>(starts.size());
      for (ServingStart start : starts) {
        String key = start.key() == null ? start.model() + "\n" + start.document() : start.key();
        String hash = Sha256.of(key.getBytes(StandardCharsets.UTF_8));
        if (start.key() == null) {
          forget(connection, start, hash);
        }
        int inserted =
            Rows.change(
                connection,
                "INSERT INTO measured_start (namespace, engine_release, model, origin,"
                    + " content_hash, document, received_at) VALUES (?, ?, ?, ?, ?, ?, ?)"
                    + " ON CONFLICT DO NOTHING",
                start.namespace(),
                start.release(),
                start.model(),
                start.source(),
                hash,
                start.document(),
                Rows.timestamp(start.at()));
        added.add(inserted == 1);
      }
      trim(connection, starts);
      return added;
    });
  }

  /** Deletes a document from before the latest way back: it is new evidence. */
  private static void forget(Connection connection, ServingStart start, String hash)
      throws SQLException {
    Rows.change(
        connection,
        "DELETE FROM measured_start WHERE namespace = ? AND content_hash = ? AND received_at <="
            + " (SELECT MAX(in_force_at) FROM serving_version WHERE namespace = ? AND"
            + " engine_release = ? AND grounds = 'ROLLBACK')",
        start.namespace(),
        hash,
        start.namespace(),
        start.release());
  }

  /** Deletes the oldest beyond the quotas of models, releases and namespaces. */
  private static void trim(Connection connection, List<ServingStart> starts) throws SQLException {
    String model = "namespace = ? AND engine_release = ? AND model = ?";
    Set<List<String>> trimmed = new HashSet<>();
    for (ServingStart start : starts) {
      List<String> own = List.of(start.namespace(), start.release(), start.model());
      if (trimmed.add(own)) {
        trim(connection, model, STARTS_OF_ONE, own);
      }
      if (trimmed.add(own.subList(0, 1))) {
        trim(connection, "namespace = ?", MAX_STARTS, own.subList(0, 1));
        trimReleases(connection, start.namespace());
      }
    }
  }

  /** Deletes the oldest releases beyond the quota, and versions of those without starts. */
  private static void trimReleases(Connection connection, String namespace) throws SQLException {
    Rows.change(
        connection,
        "DELETE FROM measured_start WHERE namespace = ? AND engine_release NOT IN (SELECT"
            + " engine_release FROM measured_start WHERE namespace = ? GROUP BY engine_release"
            + " ORDER BY MAX(start_number) DESC LIMIT "
            + MAX_RELEASES
            + ")",
        namespace,
        namespace);
    Rows.change(
        connection,
        "DELETE FROM serving_version WHERE namespace = ? AND engine_release NOT IN (SELECT"
            + " engine_release FROM measured_start WHERE namespace = ?)",
        namespace,
        namespace);
  }

  private static void trim(
      Connection connection, String condition, int most, List<String> parameters)
      throws SQLException {
    List<String> twice = new ArrayList<>(parameters);
    twice.addAll(parameters);
    Rows.change(
        connection,
        "DELETE FROM measured_start WHERE "
            + condition
            + " AND start_number <= (SELECT start_number FROM measured_start WHERE "
            + condition
            + " ORDER BY start_number DESC LIMIT 1 OFFSET "
            + most
            + ")",
        twice.toArray());
  }

  /** Sums of numbers change also where a row with a smaller number is committed later. */
  @Override
  public Map<String, String> states() {
    return database.transact(connection -> {
      Map<String, String> states = new TreeMap<>();
      Rows.list(
          connection,
          "SELECT namespace, CAST(SUM(start_number) AS BIGINT) FROM measured_start GROUP BY"
              + " namespace",
          row -> states.merge(row.getString(1), "s" + row.getLong(2), String::concat));
      Rows.list(
          connection,
          "SELECT namespace, CAST(SUM(version_number) AS BIGINT) FROM serving_version GROUP BY"
              + " namespace",
          row -> states.merge(row.getString(1), "v" + row.getLong(2), String::concat));
      return states;
    });
  }

  @Override
  public List<ServingStart> starts(String namespace) {
    return database.transact(connection ->
        Rows.list(
            connection,
            "SELECT namespace, engine_release, model, origin, document, received_at FROM"
                + " measured_start WHERE namespace = ? ORDER BY start_number",
            SqlServing::start,
            namespace));
  }

  private static ServingStart start(ResultSet row) throws SQLException {
    return new ServingStart(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        null,
        Rows.instant(row, 6));
  }

  @Override
  public List<ServingVersion> versions(String namespace) {
    return database.transact(connection ->
        Rows.list(
            connection,
            "SELECT namespace, engine_release, version_number, in_force_at, requested_by, grounds,"
                + " gone_back_to, starts, constants, reason FROM serving_version WHERE namespace ="
                + " ? ORDER BY engine_release, version_number",
            SqlServing::version,
            namespace));
  }

  private static ServingVersion version(ResultSet row) throws SQLException {
    return new ServingVersion(
        row.getString(1),
        row.getString(2),
        row.getLong(3),
        Rows.instant(row, 4),
        row.getString(5),
        ServingVersion.Grounds.valueOf(row.getString(6)),
        row.getObject(7, Long.class),
        row.getInt(8),
        row.getString(9),
        row.getString(10));
  }

  @Override
  public boolean add(ServingVersion version) {
    return database.transact(connection -> {
      int inserted =
          Rows.change(
              connection,
              "INSERT INTO serving_version (namespace, engine_release, version_number,"
                  + " in_force_at, requested_by, grounds, gone_back_to, starts, constants, reason)"
                  + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
              version.namespace(),
              version.release(),
              version.number(),
              Rows.timestamp(version.at()),
              version.by(),
              version.grounds().name(),
              version.back(),
              version.starts(),
              version.constants(),
              version.reason());
      Rows.change(
          connection,
          "DELETE FROM serving_version WHERE namespace = ? AND engine_release = ? AND"
              + " version_number <= ? AND version_number <> COALESCE((SELECT MAX(version_number)"
              + " FROM serving_version WHERE namespace = ? AND engine_release = ? AND grounds ="
              + " 'ROLLBACK'), 0)",
          version.namespace(),
          version.release(),
          version.number() - MAX_VERSIONS,
          version.namespace(),
          version.release());
      return inserted == 1;
    });
  }
}
