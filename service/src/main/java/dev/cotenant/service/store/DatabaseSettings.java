package dev.cotenant.service.store;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Address of the database.
 *
 * @param url of PostgreSQL, {@code jdbc:postgresql://host/name}; empty for the embedded one
 * @param user who connects; empty where the URL or the server's rules say it
 * @param password of the user
 * @param directory of the embedded database
 */
public record DatabaseSettings(
    Optional<String> url, Optional<String> user, Optional<String> password, Path directory) {

  /** The embedded database in a directory. */
  public static DatabaseSettings embedded(Path directory) {
    return new DatabaseSettings(Optional.empty(), Optional.empty(), Optional.empty(), directory);
  }

  /** Description for people, without the password. */
  public String description() {
    return url.map(text -> "PostgreSQL at " + text.replaceFirst("[?].*$", ""))
        .orElseGet(() -> "the embedded database in " + directory);
  }

  @Override
  public String toString() {
    return description();
  }
}
