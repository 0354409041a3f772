package dev.cotenant.domain.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * Test inputs that are not part of the project: public data sets, exported graphs, system packages.
 *
 * <p>A test that misses one says so on standard error and is skipped; with {@code
 * -Dcotenant.test.requireAll=true} it fails instead.
 */
public final class OutsideData {
  private static final String DATA_PROPERTY = "cotenant.test.data";
  private static final boolean REQUIRE_ALL = Boolean.getBoolean("cotenant.test.requireAll");
  private static final String UNREACHABLE = System.getProperty("cotenant.test.unreachable", "");

  private OutsideData() {}

  /** A file or folder under the directory that {@code COTENANT_TEST_DATA} names. */
  public static Path require(String relative) {
    String root = System.getProperty(DATA_PROPERTY, "");
    boolean set = !root.isEmpty() && !root.startsWith("${");
    if (!set) {
      return missing("COTENANT_TEST_DATA is not set, " + relative + " was looked for there");
    }
    Path path = Path.of(root).resolve(relative);
    return Files.exists(path) ? path : missing(path + " does not exist");
  }

  /** A path that a Debian package installs. */
  public static Path requirePackage(String packageName, Path path) {
    return Files.exists(path)
        ? path
        : missing(path + " does not exist: apt-get install " + packageName);
  }

  /**
   * A file under the project's root that a command there fetches. Where the machine cannot reach
   * it, {@code -Dcotenant.test.unreachable=FILE} says so: its test is then skipped whatever is
   * required.
   */
  public static Path requireFetched(String command, Path path) {
    boolean isExcused = !UNREACHABLE.isEmpty() && path.endsWith(UNREACHABLE);
    return Files.exists(path)
        ? path
        : missing(path + " does not exist: " + command, REQUIRE_ALL && !isExcused);
  }

  private static Path missing(String what) {
    return missing(what, REQUIRE_ALL);
  }

  private static Path missing(String what, boolean isFailure) {
    String message = "SKIPPED for want of outside data: " + what;
    if (isFailure) {
      return Assertions.fail(message);
    }
    System.err.println(message);
    Assumptions.abort(message);
    throw new AssertionError("unreachable");
  }
}
