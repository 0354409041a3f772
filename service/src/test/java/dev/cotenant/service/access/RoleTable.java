package dev.cotenant.service.access;

import dev.cotenant.service.RunningService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The table of docs/threat-model.md. */
final class RoleTable {
  private static final Path PAGE = RunningService.root().resolve("docs/threat-model.md");
  private static final String BEGIN = "<!-- role table: generated, see RoleTableTest -->\n";
  private static final String END = "<!-- end of the role table -->";
  private static final String HEADER =
      """
      | call | right | namespace | viewer | editor | operator | scheduler |
      |---|---|---|---|---|---|---|
      """;
  private static final List<Role> COLUMNS =
      List.of(Role.VIEWER, Role.EDITOR, Role.OPERATOR, Role.SCHEDULER);
  private static final int FIRST_ROLE = 4;

  private RoleTable() {}

  /** A line as it is read: who may make a call, and which namespace counts. */
  record Line(String call, String right, String namespace, List<Role> roles) {
    /** Whether a right in one namespace can suffice. */
    boolean isNamespaced() {
      return !namespace.equals(Endpoint.Scope.CLUSTER.toString());
    }

    @Override
    public String toString() {
      return call;
    }
  }

  /** What the code says. */
  static String generated() {
    return Arrays.stream(Endpoint.values())
        .map(RoleTable::line)
        .collect(Collectors.joining("\n", HEADER, "\n"));
  }

  private static String line(Endpoint endpoint) {
    return "| `"
        + endpoint.call()
        + "` | `"
        + endpoint.verb()
        + " "
        + endpoint.resource()
        + "` | "
        + endpoint.scope()
        + " | "
        + COLUMNS.stream()
            .map(role -> role.includes(endpoint.least()) ? "yes" : "–")
            .collect(Collectors.joining(" | "))
        + " |";
  }

  /** What the page says. */
  static String written() {
    String page = page();
    return page.substring(page.indexOf(BEGIN) + BEGIN.length(), page.indexOf(END));
  }

  /** Lets the page say what the code says. */
  static void write() throws IOException {
    Files.writeString(PAGE, page().replace(written(), generated()));
  }

  static List<Line> lines() {
    return written()
        .lines()
        .skip(2)
        .map(line -> Arrays.stream(line.split("\\|", -1)).map(String::strip).toList())
        .map(cells ->
            new Line(
                cells.get(1).replace("`", ""),
                cells.get(2).replace("`", ""),
                cells.get(3),
                COLUMNS.stream()
                    .filter(role -> cells.get(FIRST_ROLE + COLUMNS.indexOf(role)).equals("yes"))
                    .toList()))
        .toList();
  }

  private static String page() {
    try {
      return Files.readString(PAGE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
