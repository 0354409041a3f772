package dev.cotenant.service.store;

import java.io.IOException;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One PostgreSQL for all tests of this process; each asks for a database of its own. */
public final class TestDatabases {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static @Nullable PostgresServer server;

  private TestDatabases() {}

  /** An empty database on the server, which is started when it is first asked for. */
  public static synchronized DatabaseSettings postgres()
      throws IOException, InterruptedException, SQLException {
    PostgresServer running = server;
    if (running == null) {
      running = PostgresServer.start();
      server = running;
      Runtime.getRuntime().addShutdownHook(new Thread(running::close));
    }
    return running.newDatabase("test" + NUMBER.incrementAndGet());
  }
}
