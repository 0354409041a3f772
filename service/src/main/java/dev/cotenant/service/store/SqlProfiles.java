package dev.cotenant.service.store;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.engine.lifecycle.ProfileFields;
import dev.cotenant.engine.lifecycle.ProfileRowReader;
import dev.cotenant.engine.lifecycle.ProfileStore;
import dev.cotenant.engine.lifecycle.StoredProfile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Profile rows in SQL; each as its fields, one {@code name=value} a line. */
final class SqlProfiles implements ProfileStore {
  private final Database database;
  private final ProfileRowReader reader;

  SqlProfiles(Database database, DeviceCatalogue devices) {
    this.database = database;
    reader = new ProfileRowReader(devices, ProfileRowReader.RegisteredFeatures.NONE);
  }

  @Override
  public List<Boolean> add(List<ProfileRow> rows, Instant at) {
    return database.transact(connection -> {
      List<Boolean> added = new ArrayList<>(rows.size());
      try (PreparedStatement insert =
          connection.prepareStatement(
              "INSERT INTO profile (content_hash, family, device, source, fields, received_at)"
                  + " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")) {
        for (ProfileRow row : rows) {
          insert.setString(1, ProfileFields.contentHash(row));
          insert.setString(2, row.family());
          insert.setString(3, row.device().value());
          insert.setString(4, row.source());
          insert.setString(5, lines(ProfileFields.of(row)));
          insert.setObject(6, SqlInstants.of(at));
          added.add(insert.executeUpdate() == 1);
        }
      }
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
  public long count() {
    return database.transact(SqlProfiles::count);
  }

  private static long count(Connection connection) throws SQLException {
    return Rows.list(connection, "SELECT COUNT(*) FROM profile", row -> row.getLong(1)).getFirst();
  }

  @Override
  public List<StoredProfile> page(long after, int limit) {
    String sql =
        "SELECT profile_number, content_hash, fields, received_at FROM profile WHERE profile_number"
            + " > ? ORDER BY profile_number LIMIT ?";
    return database.transact(connection -> Rows.list(connection, sql, this::profile, after, limit));
  }

  private StoredProfile profile(ResultSet row) throws SQLException {
    return new StoredProfile(
        row.getLong(1),
        row.getString(2),
        reader.read(fields(row.getString(3))),
        SqlInstants.read(row, 4));
  }
}
