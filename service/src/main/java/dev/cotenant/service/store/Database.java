package dev.cotenant.service.store;

import dev.cotenant.engine.lifecycle.StoreException;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalConnectionFactoryConfigurationSupplier;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A few connections to one database, and transactions on them. The first call brings the schema up
 * to date; a server that is down is tried again by every call.
 */
public final class Database implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Database.class);
  private static final int CONNECTIONS = 4;
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /**
   * How long PostgreSQL may say nothing while it works on a statement; the statements here take
   * milliseconds, and a long answer is sent piece by piece. The limit cuts off calls to a server
   * that hangs. A {@code socketTimeout} in the URL wins.
   */
  static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);

  /** Timeout of the check of a pooled connection. */
  private static final Duration VALID_WITHIN = Duration.ofSeconds(2);

  /**
   * Opening a file is no matter of networks, but of a processor that may have others to serve. On a
   * busy node that may take longer than a server may, and no start should fail for it.
   */
  private static final Duration PATIENCE_EMBEDDED = Duration.ofMinutes(1);

  /** [SQL:2016, class 23 subclass 505 as both databases use it]: a unique key exists already. */
  static final String UNIQUE_VIOLATION = "23505";

  private static final String BEGIN = "transaction";

  private final String description;
  private final boolean isEmbedded;
  private final AgroalDataSource connections;
  private volatile boolean migrated;

  private Database(String description, boolean isEmbedded, AgroalDataSource connections) {
    this.description = description;
    this.isEmbedded = isEmbedded;
    this.connections = connections;
  }

  /** Opens nothing yet. */
  public static Database of(DatabaseSettings settings) {
    boolean isEmbedded = settings.url().isEmpty();
    if (isEmbedded) {
      new EmbeddedFile(embedded(settings)).protect();
    }
    try {
      return new Database(
          settings.description(), isEmbedded, AgroalDataSource.from(configuration(settings).get()));
    } catch (SQLException e) {
      throw new StoreException(settings.description() + ": no connections can be made", e);
    }
  }

  static AgroalDataSourceConfigurationSupplier configuration(DatabaseSettings settings) {
    return new AgroalDataSourceConfigurationSupplier()
        .connectionPoolConfiguration(pool ->
            pool.initialSize(0)
                .maxSize(CONNECTIONS)
                .acquisitionTimeout(patience(settings))
                .connectionValidator(
                    ConnectionValidator.defaultValidatorWithTimeout((int) VALID_WITHIN.toSeconds()))
                .validateOnBorrow(true)
                .connectionFactoryConfiguration(factory -> connect(factory, settings)));
  }

  private static AgroalConnectionFactoryConfigurationSupplier connect(
      AgroalConnectionFactoryConfigurationSupplier factory, DatabaseSettings settings) {
    String driver = settings.url().isPresent() ? "org.postgresql.Driver" : "org.h2.Driver";
    factory
        .connectionProviderClassName(driver)
        .loginTimeout(patience(settings))
        .jdbcUrl(settings.url().orElseGet(() -> embeddedUrl(settings)));
    if (settings.url().isPresent()) {
      factory.jdbcProperty("socketTimeout", String.valueOf(ANSWER_WITHIN.toSeconds()));
    }
    settings.user().ifPresent(user -> factory.principal(new NamePrincipal(user)));
    settings.password().ifPresent(word -> factory.credential(new SimplePassword(word)));
    return factory;
  }

  /** Longest wait for a connection. */
  static Duration patience(DatabaseSettings settings) {
    return settings.url().isPresent() ? PATIENCE : PATIENCE_EMBEDDED;
  }

  /** Every commit is on disk when it returns: WRITE_DELAY=0. */
  private static String embeddedUrl(DatabaseSettings settings) {
    return "jdbc:h2:file:"
        + embedded(settings)
        + ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE";
  }

  private static Path embedded(DatabaseSettings settings) {
    return settings.directory().toAbsolutePath().resolve("cotenant");
  }

  /** Throws StoreException when it cannot be used. */
  public void check() {
    transact(Connection::getAutoCommit);
  }

  /** Work in a transaction. */
  @FunctionalInterface
  interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  /**
   * Runs work in its own transaction: committed completely, or rolled back if anything is thrown.
   *
   * @throws StoreException when the database cannot do it
   */
  <T> T transact(Work<T> work) {
    try {
      return attempt(work);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /** As {@link #transact}; a unique key that exists already is left to the caller. */
  <T> T attempt(Work<T> work) throws SQLException {
    if (!migrated) {
      migrate();
    }
    try (Connection connection = connections.getConnection()) {
      return inTransaction(connection, work);
    }
  }

  /**
   * Makes space of the embedded database's file usable again; PostgreSQL does so by itself.
   *
   * @throws StoreException when the file cannot be read
   */
  void compact() {
    if (isEmbedded) {
      try (Connection connection = connections.getConnection()) {
        EmbeddedFile.compact(connection);
      } catch (SQLException e) {
        throw failed(e);
      }
    }
  }

  /** Flyway uses connections of its own, so this thread holds none meanwhile. */
  private synchronized void migrate() {
    if (!migrated) {
      try {
        Schema.update(connections);
      } catch (SQLException e) {
        throw unusable(e);
      }
      migrated = true;
    }
  }

  private <T> T inTransaction(Connection connection, Work<T> work) throws SQLException {
    connection.setAutoCommit(false);
    @Nullable Savepoint begin = isEmbedded ? connection.setSavepoint(BEGIN) : null;
    boolean done = false;
    try {
      T result = work.run(connection);
      connection.commit();
      connection.setAutoCommit(true);
      done = true;
      return result;
    } finally {
      if (!done) {
        undo(connection, begin);
      }
    }
  }

  /**
   * A connection that fails to roll back has already lost its transaction; the work's own error is
   * reported.
   *
   * <p>H2's ROLLBACK writes to the file. Where the disk is full, it fails after the transaction has
   * ended, and H2 2.4.240 then counts that end twice: all later statements wait for ever for a
   * version of the data that is not counted as unused. Rolling back to a savepoint writes nothing,
   * and neither does a commit of no changes.
   */
  private static void undo(Connection connection, @Nullable Savepoint begin) {
    try {
      if (begin == null) {
        connection.rollback();
      } else {
        connection.rollback(begin);
        connection.commit();
      }
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      LOG.debugf(e, "a transaction could not be rolled back");
    }
  }

  /**
   * The exception for work that failed. All connections are replaced: an embedded database whose
   * disk was full closes itself, and the next connection opens it again.
   */
  StoreException failed(SQLException e) {
    connections.flush(AgroalDataSource.FlushMode.GRACEFUL);
    return unusable(e);
  }

  private StoreException unusable(SQLException e) {
    return new StoreException(
        description
            + " cannot be used; nothing is changed, and the model in memory serves: "
            + reason(e),
        e);
  }

  /** The first words of the deepest cause that has any: "No space left on device". */
  private static String reason(Throwable failure) {
    String said = "no reason given";
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      @Nullable String message = cause.getMessage();
      said = message == null ? said : message.lines().findFirst().orElse(said);
    }
    return said;
  }

  static boolean isUniqueViolation(SQLException e) {
    return UNIQUE_VIOLATION.equals(e.getSQLState());
  }

  @Override
  public void close() {
    connections.close();
  }
}
