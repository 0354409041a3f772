package dev.cotenant.service.store;

import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.lifecycle.ModelVersion;
import dev.cotenant.engine.lifecycle.Promotion;
import dev.cotenant.engine.lifecycle.VersionStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Versions and promotions in SQL. */
final class SqlVersions implements VersionStore {
  private static final String COLUMNS =
      "sha256, label, kind, origin, parent, created_at, card, provenance, metrics";
  private static final String PROMOTION =
      "promotion_number, version, promoted_at, promoted_by, grounds, reason";

  private final Database database;
  private final String versions;
  private final String promotions;

  /**
   * @param versions the table of the versions
   * @param promotions that of their promotions
   */
  SqlVersions(Database database, String versions, String promotions) {
    this.database = database;
    this.versions = versions;
    this.promotions = promotions;
  }

  private String inOrder() {
    return "SELECT " + PROMOTION + " FROM " + promotions + " ORDER BY promotion_number";
  }

  @Override
  public boolean add(ModelVersion version, byte[] file) {
    return database.transact(connection -> {
      int present = count(connection);
      SqlFiles.put(connection, version.sha256(), new ByteArrayInputStream(file));
      int inserted =
          Rows.change(
              connection,
              "INSERT INTO "
                  + versions
                  + " ("
                  + COLUMNS
                  + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
              version.sha256(),
              version.label(),
              version.kind().name(),
              version.origin().name(),
              version.parent(),
              Rows.timestamp(version.createdAt()),
              version.card(),
              version.provenance(),
              lines(version.metrics()));
      if (inserted == 1) {
        VersionStore.requireRoom(version, present);
      }
      return inserted == 1;
    });
  }

  private int count(Connection connection) throws SQLException {
    return Rows.list(connection, "SELECT COUNT(*) FROM " + versions, row -> row.getInt(1))
        .getFirst();
  }

  private static String lines(Map<String, Double> metrics) {
    return metrics.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining("\n"));
  }

  private static Map<String, Double> metrics(String lines) {
    Map<String, Double> metrics = new TreeMap<>();
    lines
        .lines()
        .map(line -> line.split("=", 2))
        .forEach(pair -> metrics.put(pair[0], Double.parseDouble(pair[1])));
    return metrics;
  }

  @Override
  public List<ModelVersion> all() {
    String sql = "SELECT " + COLUMNS + " FROM " + versions + " ORDER BY sequence_number";
    return database.transact(connection -> Rows.list(connection, sql, SqlVersions::version));
  }

  @Override
  public Optional<ModelVersion> find(String sha256OrLabel) {
    String sql = "SELECT " + COLUMNS + " FROM " + versions + " WHERE sha256 = ? OR label = ?";
    return database
        .transact(connection ->
            Rows.list(connection, sql, SqlVersions::version, sha256OrLabel, sha256OrLabel))
        .stream()
        .findFirst();
  }

  private static ModelVersion version(ResultSet row) throws SQLException {
    return new ModelVersion(
        row.getString(1),
        row.getString(2),
        ModelVersion.Kind.valueOf(row.getString(3)),
        ModelVersion.Origin.valueOf(row.getString(4)),
        row.getString(5),
        Rows.instant(row, 6),
        row.getString(7),
        row.getString(8),
        metrics(row.getString(9)));
  }

  @Override
  public Optional<byte[]> file(String sha256) {
    return database.transact(connection -> {
      int parts = SqlFiles.parts(connection, sha256);
      ByteArrayOutputStream file = new ByteArrayOutputStream();
      for (int part = 0; part < parts; part++) {
        file.writeBytes(SqlFiles.part(connection, sha256, part));
      }
      return parts < 0 ? Optional.empty() : Optional.of(file.toByteArray());
    });
  }

  @Override
  public boolean remove(String sha256) {
    return database.transact(connection -> {
      int removed =
          Rows.change(
              connection,
              "DELETE FROM "
                  + versions
                  + " WHERE sha256 = ? AND NOT EXISTS (SELECT 1 FROM "
                  + promotions
                  + " WHERE version = ?) AND NOT EXISTS (SELECT 1 FROM "
                  + versions
                  + " WHERE parent = ?)",
              sha256,
              sha256,
              sha256);
      if (removed == 1) {
        SqlFiles.deleteUnused(connection, sha256);
      }
      return removed == 1;
    });
  }

  @Override
  public Optional<Promotion> promoted() {
    return database
        .transact(connection ->
            Rows.list(connection, inOrder() + " DESC LIMIT 1", SqlVersions::promotion))
        .stream()
        .findFirst();
  }

  @Override
  public List<Promotion> promotions() {
    return database.transact(
        connection -> Rows.list(connection, inOrder(), SqlVersions::promotion));
  }

  private static Promotion promotion(ResultSet row) throws SQLException {
    return new Promotion(
        row.getLong(1),
        row.getString(2),
        Rows.instant(row, 3),
        row.getString(4),
        Promotion.Grounds.valueOf(row.getString(5)),
        row.getString(6));
  }

  @Override
  public Promotion promote(Promotion.Request request, long after, Instant at) {
    Promotion promotion =
        new Promotion(
            after + 1, request.version(), at, request.by(), request.grounds(), request.reason());
    try {
      return database.attempt(connection -> insert(connection, promotion));
    } catch (SQLException e) {
      if (Database.isUniqueViolation(e)) {
        throw new ConflictException(
            "promotion-conflict",
            "Another version was promoted concurrently; read GET /v1/predictors and retry.");
      }
      throw database.failed(e);
    }
  }

  private Promotion insert(Connection connection, Promotion promotion) throws SQLException {
    Rows.change(
        connection,
        "INSERT INTO " + promotions + " (" + PROMOTION + ") VALUES (?, ?, ?, ?, ?, ?)",
        promotion.number(),
        promotion.version(),
        Rows.timestamp(promotion.at()),
        promotion.by(),
        promotion.grounds().name(),
        promotion.reason());
    return promotion;
  }
}
