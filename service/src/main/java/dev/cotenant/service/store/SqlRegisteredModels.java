package dev.cotenant.service.store;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.lifecycle.RegisteredModelStore;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Registered ONNX files in SQL. */
final class SqlRegisteredModels implements RegisteredModelStore {
  private final Database database;

  SqlRegisteredModels(Database database) {
    this.database = database;
  }

  @Override
  public boolean put(Name name, @Nullable String before, InputStream file, Instant at) {
    return database.transact(connection -> {
      Optional<String> now = meaning(connection, name.name());
      if (before != null
          && now.isPresent()
          && !now.get().equals(before)
          && !now.get().equals(name.sha256())) {
        return false;
      }
      SqlFiles.put(connection, name.sha256(), file);
      if (now.isEmpty()) {
        return insert(connection, name, at);
      }
      boolean isUpdated = update(connection, name, now.get(), at);
      SqlFiles.deleteUnused(connection, isUpdated ? now.get() : name.sha256());
      return isUpdated;
    });
  }

  private static Optional<String> meaning(Connection connection, String name) throws SQLException {
    return Rows.list(
            connection,
            "SELECT sha256 FROM registered_model WHERE name = ?",
            row -> row.getString(1),
            name)
        .stream()
        .findFirst();
  }

  /** Of two updates at once the later finds another file than it saw. */
  private static boolean update(Connection connection, Name name, String before, Instant at)
      throws SQLException {
    return Rows.change(
            connection,
            "UPDATE registered_model SET sha256 = ?, registered_at = ? WHERE name = ? AND sha256 ="
                + " ?",
            name.sha256(),
            Rows.timestamp(at),
            name.name(),
            before)
        == 1;
  }

  private static boolean insert(Connection connection, Name name, Instant at) throws SQLException {
    return Rows.change(
            connection,
            "INSERT INTO registered_model (name, sha256, registered_at) VALUES (?, ?, ?) ON"
                + " CONFLICT DO NOTHING",
            name.name(),
            name.sha256(),
            Rows.timestamp(at))
        == 1;
  }

  @Override
  public boolean remove(String name) {
    return database.transact(connection -> {
      Optional<String> file = meaning(connection, name);
      if (file.isEmpty()
          || Rows.change(connection, "DELETE FROM registered_model WHERE name = ?", name) == 0) {
        return false;
      }
      SqlFiles.deleteUnused(connection, file.get());
      return true;
    });
  }

  @Override
  public List<Name> names() {
    return database.transact(connection ->
        Rows.list(
            connection,
            "SELECT name, sha256 FROM registered_model ORDER BY name",
            row -> new Name(row.getString(1), row.getString(2))));
  }

  @Override
  public <T> T read(String sha256, Function<InputStream, T> reader) {
    int parts = database.transact(connection -> SqlFiles.parts(connection, sha256));
    if (parts < 0) {
      throw InputException.notFound("unknown-model", "There is no stored file " + sha256 + ".");
    }
    return reader.apply(new StoredFile(sha256, parts));
  }

  /** A file whose parts are each read when the one before is used up. */
  private final class StoredFile extends InputStream {
    private final String sha256;
    private final int parts;
    private int next;
    private ByteArrayInputStream part = new ByteArrayInputStream(new byte[0]);

    StoredFile(String sha256, int parts) {
      this.sha256 = sha256;
      this.parts = parts;
    }

    @Override
    public int read() {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] into, int offset, int length) {
      while (part.available() == 0 && next < parts) {
        int number = next++;
        part =
            new ByteArrayInputStream(
                database.transact(connection -> SqlFiles.part(connection, sha256, number)));
      }
      return part.read(into, offset, length);
    }
  }
}
