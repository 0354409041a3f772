package dev.cotenant.service.store;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.lifecycle.Training;
import dev.cotenant.engine.lifecycle.Training.State;
import dev.cotenant.engine.lifecycle.TrainingStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Trainings in SQL. Transitions are conditional updates, so that replicas cannot both make one. */
final class SqlTrainings implements TrainingStore {
  private static final String SELECT =
      "SELECT id, state, step, done, total, queued_at, updated_at, replica, version, message FROM"
          + " training ";
  private static final String MINE = " WHERE id = ? AND replica = ? AND state = 'RUNNING'";

  private final Database database;

  SqlTrainings(Database database) {
    this.database = database;
  }

  @Override
  public Training enqueue(String id, Instant at) {
    try {
      return database.attempt(connection -> {
        Rows.change(
            connection,
            "INSERT INTO training (id, open_slot, state, step, done, total, queued_at, updated_at,"
                + " message) VALUES (?, 1, 'QUEUED', '', 0, 0, ?, ?, '')",
            id,
            Rows.timestamp(at),
            Rows.timestamp(at));
        return Training.queued(id, at);
      });
    } catch (SQLException e) {
      if (Database.isUniqueViolation(e)) {
        throw alreadyOpen();
      }
      throw database.failed(e);
    }
  }

  private ConflictException alreadyOpen() {
    String id =
        database.transact(connection -> list(connection, "WHERE open_slot = 1")).stream()
            .map(Training::id)
            .findFirst()
            .orElse("that has just ended");
    return new ConflictException(
        "training-running",
        "Training "
            + id
            + " is queued or running: wait for it or DELETE /v1/trainings/"
            + id
            + ".");
  }

  @Override
  public List<Training> newest(int limit) {
    return database.transact(
        connection -> list(connection, "ORDER BY sequence_number DESC LIMIT ?", limit));
  }

  @Override
  public Optional<Training> find(String id) {
    return database.transact(connection -> find(connection, id));
  }

  private static Optional<Training> find(Connection connection, String id) throws SQLException {
    return list(connection, "WHERE id = ?", id).stream().findFirst();
  }

  @Override
  public Optional<Training> claim(String replica, Instant staleBefore, Instant at) {
    return database.transact(connection -> {
      int claimed =
          Rows.change(
              connection,
              "UPDATE training SET state = 'RUNNING', replica = ?, updated_at = ?, step = '',"
                  + " done = 0, total = 0 WHERE open_slot = 1 AND (state = 'QUEUED' OR updated_at"
                  + " < ?)",
              replica,
              Rows.timestamp(at),
              Rows.timestamp(staleBefore));
      return claimed == 0
          ? Optional.empty()
          : list(connection, "WHERE open_slot = 1").stream().findFirst();
    });
  }

  @Override
  public boolean advance(Training training, Training.Progress progress, Instant at) {
    return database.transact(connection ->
        Rows.change(
                connection,
                "UPDATE training SET step = ?, done = ?, total = ?, updated_at = ?" + MINE,
                progress.step(),
                progress.done(),
                progress.total(),
                Rows.timestamp(at),
                training.id(),
                replica(training))
            == 1);
  }

  @Override
  public boolean end(Training training, Training.Outcome outcome, Instant at) {
    return database.transact(connection ->
        Rows.change(
                connection,
                "UPDATE training SET open_slot = NULL, state = ?, version = ?, message = ?,"
                    + " updated_at = ?"
                    + MINE,
                outcome.state().name(),
                outcome.version(),
                outcome.message(),
                Rows.timestamp(at),
                training.id(),
                replica(training))
            == 1);
  }

  private static String replica(Training training) {
    return Objects.requireNonNull(training.replica(), "a claimed training has a replica");
  }

  @Override
  public Training cancel(String id, Instant at) {
    return database.transact(connection -> {
      int cancelled =
          Rows.change(
              connection,
              "UPDATE training SET open_slot = NULL, state = 'CANCELLED', message = ?, updated_at ="
                  + " ? WHERE id = ? AND open_slot = 1",
              Training.Outcome.cancelled().message(),
              Rows.timestamp(at),
              id);
      Training found =
          find(connection, id)
              .orElseThrow(() ->
                  InputException.notFound(
                      "unknown-training",
                      "There is no training '" + id + "': GET /v1/trainings lists them."));
      if (cancelled == 0) {
        throw new ConflictException(
            "training-ended",
            "Training " + id + " has ended (" + name(found.state()) + "): nothing to cancel.");
      }
      return found;
    });
  }

  private static String name(State state) {
    return state.name().toLowerCase(java.util.Locale.ROOT);
  }

  private static List<Training> list(Connection connection, String condition, Object... parameters)
      throws SQLException {
    return Rows.list(connection, SELECT + condition, SqlTrainings::training, parameters);
  }

  private static Training training(ResultSet row) throws SQLException {
    return new Training(
        row.getString(1),
        State.valueOf(row.getString(2)),
        new Training.Progress(row.getString(3), row.getInt(4), row.getInt(5)),
        Rows.instant(row, 6),
        Rows.instant(row, 7),
        row.getString(8),
        row.getString(9),
        row.getString(10));
  }
}
