package dev.cotenant.service.store;

import dev.cotenant.engine.fleet.FleetStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Fleets that are watched, in SQL. Thread safe. */
public final class SqlFleets implements FleetStore {
  private static final String COLUMNS =
      "SELECT name, document, state, shown, revision, stored_by, stored_at, decided_at FROM fleet";

  private final Database database;

  public SqlFleets(Database database) {
    this.database = database;
  }

  @Override
  public boolean put(String name, String document, String by, Instant at) {
    return database.transact(connection -> {
      // of transactions at once all but one wait here
      Rows.change(connection, "UPDATE fleet_state SET changes = changes + 1");
      long revision =
          Rows.list(connection, "SELECT changes FROM fleet_state", row -> row.getLong(1))
              .getFirst();
      boolean hasRoom =
          Rows.list(
                      connection,
                      "SELECT COUNT(*) FROM fleet WHERE name <> ?",
                      row -> row.getLong(1),
                      name)
                  .getFirst()
              < MAX_FLEETS;
      if (hasRoom) {
        insert(connection, new Stored(name, document, "", "", revision, by, at, at));
      }
      return hasRoom;
    });
  }

  private static void insert(Connection connection, Stored fleet) throws SQLException {
    Rows.change(connection, "DELETE FROM fleet WHERE name = ?", fleet.name());
    Rows.change(
        connection,
        "INSERT INTO fleet (name, document, state, shown, revision, stored_by, stored_at,"
            + " decided_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        fleet.name(),
        fleet.document(),
        fleet.state(),
        fleet.view(),
        fleet.revision(),
        fleet.by(),
        Rows.timestamp(fleet.storedAt()),
        Rows.timestamp(fleet.decidedAt()));
  }

  @Override
  public Optional<Stored> find(String name) {
    return database.transact(connection ->
        Rows.list(connection, COLUMNS + " WHERE name = ?", SqlFleets::stored, name).stream()
            .findFirst());
  }

  @Override
  public List<Stored> all() {
    return database.transact(
        connection -> Rows.list(connection, COLUMNS + " ORDER BY name", SqlFleets::stored));
  }

  private static Stored stored(ResultSet row) throws SQLException {
    return new Stored(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getLong(5),
        row.getString(6),
        Rows.instant(row, 7),
        Rows.instant(row, 8));
  }

  @Override
  public boolean decided(Stored before, String state, String view, Instant at) {
    return database.transact(connection -> {
      Rows.change(connection, "UPDATE fleet_state SET changes = changes + 1");
      return Rows.change(
              connection,
              "UPDATE fleet SET state = ?, shown = ?, decided_at = ?, revision = (SELECT changes"
                  + " FROM fleet_state) WHERE name = ? AND revision = ?",
              state,
              view,
              Rows.timestamp(at),
              before.name(),
              before.revision())
          == 1;
    });
  }

  @Override
  public boolean delete(String name) {
    return database.transact(
        connection -> Rows.change(connection, "DELETE FROM fleet WHERE name = ?", name) == 1);
  }
}
