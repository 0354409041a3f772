package dev.cotenant.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Table;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** How figures of a service's answers read in tables; what is absent is a dash. */
final class CellFormat {
  static final String NONE = "-";

  private static final long MINUTE_SECONDS = 60;
  private static final long HOUR_SECONDS = 3_600;

  private CellFormat() {}

  /** Prints a row for each element of an array. */
  static void rows(JsonNode array, Table<JsonNode> table, Console console) {
    List<JsonNode> rows = new ArrayList<>();
    array.forEach(rows::add);
    table.print(rows, console);
  }

  static String text(JsonNode node) {
    return node.isValueNode() && !node.isNull() ? node.asText() : NONE;
  }

  /** {@code 34.7 %}. */
  static String percent(JsonNode node) {
    return node.isNumber() ? String.format(Locale.ROOT, "%.1f %%", node.asDouble()) : NONE;
  }

  /** {@code 6.06 GiB}. */
  static String memory(JsonNode bytes) {
    return bytes.isIntegralNumber() && bytes.asLong() >= 0
        ? MemorySize.ofBytes(bytes.asLong()).toString()
        : NONE;
  }

  /** {@code 45 s}, {@code 9 m 18 s}, {@code 3 h 5 m}. */
  static String duration(JsonNode seconds) {
    if (!seconds.isNumber()) {
      return NONE;
    }
    Duration time = Duration.ofSeconds(seconds.asLong());
    if (time.toSeconds() < MINUTE_SECONDS) {
      return time.toSeconds() + " s";
    }
    return time.toSeconds() < HOUR_SECONDS
        ? time.toMinutes() + " m " + time.toSecondsPart() + " s"
        : time.toHours() + " h " + time.toMinutesPart() + " m";
  }

  /** {@code a, b}. */
  static String list(JsonNode names) {
    String list =
        StreamSupport.stream(names.spliterator(), false)
            .map(JsonNode::asText)
            .collect(Collectors.joining(", "));
    return list.isEmpty() ? NONE : list;
  }
}
