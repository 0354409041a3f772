package dev.cotenant.service.store;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.lifecycle.RegisteredModelStore;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/** Registered ONNX files in SQL. */
final class SqlRegisteredModels implements RegisteredModelStore {
  private final Database database;

  SqlRegisteredModels(Database database) {
    this.database = database;
  }

  @Override
  public void put(Name name, InputStream file, Instant at) {
    database.transact(connection -> {
      SqlFiles.put(connection, name.sha256(), file);
      List<String> before =
          Rows.list(
              connection,
              "SELECT sha256 FROM registered_model WHERE name = ?",
              row -> row.getString(1),
              name.name());
      int updated =
          Rows.change(
              connection,
              "UPDATE registered_model SET sha256 = ?, registered_at = ? WHERE name = ?",
              name.sha256(),
              SqlInstants.of(at),
              name.name());
      if (updated == 0) {
        Rows.change(
            connection,
            "INSERT INTO registered_model (name, sha256, registered_at) VALUES (?, ?, ?)",
            name.name(),
            name.sha256(),
            SqlInstants.of(at));
      }
      for (String replaced : before) {
        SqlFiles.deleteUnused(connection, replaced);
      }
      return updated;
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
