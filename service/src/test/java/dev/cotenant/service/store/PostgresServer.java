package dev.cotenant.service.store;

import dev.cotenant.domain.testing.FreePort;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.tukaani.xz.XZInputStream;

/**
 * A real PostgreSQL from a Maven artifact, in a directory of its own. The server refuses to run as
 * root, so root runs it as nobody.
 */
public final class PostgresServer implements AutoCloseable {
  private static final String ARCHIVE = "/postgres-linux-x86_64.txz";
  private static final int ATTEMPTS = 300;

  private final Path home;
  private final int port;
  private Process process;

  private PostgresServer(Path home, int port, Process process) {
    this.home = home;
    this.port = port;
    this.process = process;
  }

  /** Starts one; a machine it was not built for skips the test. */
  public static PostgresServer start() throws IOException, InterruptedException {
    Assumptions.assumeTrue(
        System.getProperty("os.name").equals("Linux")
            && System.getProperty("os.arch").equals("amd64"),
        "the artifact's PostgreSQL is for Linux on x86-64");
    Path home = Files.createTempDirectory("cotenant-postgres");
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path data = Files.createDirectory(home.resolve("data"));
    unpack(home);
    if (isRoot()) {
      run(home, "chown", "nobody", data.toString());
    }
    runAsUser(home, "initdb", "-D", data.toString(), "-U", "postgres", "-A", "trust", "-E", "UTF8");
    int port = FreePort.find();
    Process process = launch(home, port);
    PostgresServer server = new PostgresServer(home, port, process);
    server.awaitReady();
    return server;
  }

  private static Process launch(Path home, int port) throws IOException {
    String data = home.resolve("data").toString();
    String number = String.valueOf(port);
    return builder(
            asUser(home, "postgres", "-D", data, "-p", number, "-h", "127.0.0.1", "-k", data, "-F"))
        .redirectOutput(home.resolve("postgres.log").toFile())
        .start();
  }

  /** Ends the server, whatever it does, and starts it again on its data. */
  public void restart() throws IOException, InterruptedException {
    interrupt();
    process.waitFor();
    process = launch(home, port);
    awaitReady();
  }

  /** What PostgreSQL calls a fast shutdown: clients are cut off. */
  private void interrupt() throws IOException, InterruptedException {
    run(home, "kill", "-INT", String.valueOf(process.pid()));
  }

  private static ProcessBuilder builder(List<String> command) {
    return new ProcessBuilder(command).redirectErrorStream(true);
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  private static void unpack(Path home) throws IOException, InterruptedException {
    Path tar = home.resolve("postgres.tar");
    try (InputStream in =
        new XZInputStream(
            Objects.requireNonNull(PostgresServer.class.getResourceAsStream(ARCHIVE), ARCHIVE))) {
      Files.copy(in, tar);
    }
    run(home, "tar", "-xf", tar.toString(), "-C", home.toString(), "--no-same-owner");
    Files.delete(tar);
  }

  private static List<String> asUser(Path home, String program, String... arguments) {
    List<String> command = new ArrayList<>();
    if (isRoot()) {
      command.addAll(List.of("setpriv", "--reuid=nobody", "--clear-groups", "--"));
    }
    command.add(home.resolve("bin").resolve(program).toString());
    command.addAll(List.of(arguments));
    return command;
  }

  private static void runAsUser(Path home, String program, String... arguments)
      throws IOException, InterruptedException {
    run(home, asUser(home, program, arguments).toArray(String[]::new));
  }

  private static void run(Path home, String... command) throws IOException, InterruptedException {
    Process process = builder(List.of(command)).directory(home.toFile()).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + " failed: " + output);
    }
  }

  private void awaitReady() throws IOException, InterruptedException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try (Connection connection = DriverManager.getConnection(url("postgres"))) {
        if (connection.isValid(1)) {
          return;
        }
      } catch (SQLException e) {
        Thread.sleep(100); // not listening yet
      }
    }
    throw new IOException("did not start: " + Files.readString(home.resolve("postgres.log")));
  }

  private String url(String database) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=postgres";
  }

  /** Makes an empty database and says how to reach it. */
  public DatabaseSettings newDatabase(String name) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url("postgres"));
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    }
    return new DatabaseSettings(
        Optional.of("jdbc:postgresql://127.0.0.1:" + port + "/" + name),
        Optional.of("postgres"),
        Optional.of("any"),
        home);
  }

  @Override
  public void close() {
    try {
      interrupt();
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      try (Stream<Path> files = Files.walk(home)) {
        for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
