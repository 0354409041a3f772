package dev.cotenant.service.store;

import dev.cotenant.service.replay.ReplayStore;
import java.util.Optional;

/** The newest replay in SQL. Thread safe. */
public final class SqlReplays implements ReplayStore {
  private final Database database;

  public SqlReplays(Database database) {
    this.database = database;
  }

  @Override
  public void put(String content) {
    database.transact(connection ->
        Rows.change(connection, "DELETE FROM newest_replay")
            + Rows.change(
                connection,
                "INSERT INTO newest_replay (replay_number, content) VALUES (1, ?) ON CONFLICT DO"
                    + " NOTHING",
                content));
  }

  @Override
  public Optional<String> newest() {
    return database.transact(connection ->
        Rows.list(connection, "SELECT content FROM newest_replay", row -> row.getString(1)).stream()
            .findFirst());
  }
}
