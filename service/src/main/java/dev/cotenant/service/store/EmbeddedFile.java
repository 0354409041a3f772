package dev.cotenant.service.store;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.mvstore.MVStoreException;
import org.jboss.logging.Logger;

/** The file of the embedded database, which its owner alone may read. */
final class EmbeddedFile {
  private static final Logger LOG = Logger.getLogger(EmbeddedFile.class);
  private static final String SUFFIX = ".mv.db";
  private static final String OWNER_ALONE = "rw-------";
  private static final FileAttribute<?> OWNERS_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  /** Below this share of live data in all chunks, the emptiest are written anew. */
  private static final int LIVE_PERCENT = 50;

  /** Live data that one call writes anew. */
  private static final int COMPACTED_BYTES = 1 << 20;

  private final Path database;

  /**
   * @param database the path that H2 is given, without its suffix
   */
  EmbeddedFile(Path database) {
    this.database = database;
  }

  /** Makes the file before H2 does, which would make it readable to all; H2 fills an empty one. */
  void protect() {
    Path file = database.resolveSibling(database.getFileName() + SUFFIX);
    try {
      Files.createDirectories(file.getParent(), OWNERS_DIRECTORY);
      create(file);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(OWNER_ALONE));
    } catch (IOException e) {
      // Whether the database can be used is H2's to say: the file may be another user's.
      LOG.warnf("%s may be read by others than its owner: %s", file, e);
    }
  }

  private static void create(Path file) throws IOException {
    try {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(OWNER_ALONE)));
    } catch (FileAlreadyExistsException e) {
      LOG.debugf("%s exists already", file);
    }
  }

  /**
   * Moves live data out of the chunks of the file that hold the least of it, whose space is used
   * again after H2's retention time. Every commit is a chunk, one page that stays keeps all of it,
   * and H2 compacts by itself only with a WRITE_DELAY, which would lose commits.
   *
   * @param connection to the embedded database, outside a transaction
   */
  static void compact(Connection connection) throws SQLException {
    try {
      ((SessionLocal) connection.unwrap(JdbcConnection.class).getSession())
          .getDatabase()
          .getStore()
          .getMvStore()
          .compact(LIVE_PERCENT, COMPACTED_BYTES);
    } catch (MVStoreException e) {
      throw new SQLException(e.getMessage(), e);
    }
  }
}
