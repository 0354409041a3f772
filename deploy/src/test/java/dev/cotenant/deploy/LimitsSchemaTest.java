package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The limits of the chart's schema are those of docs/configuration.md. {@code
 * -Dcotenant.deploy.write=true} writes them.
 */
class LimitsSchemaTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path SCHEMA = Chart.file("deploy/helm/cotenant/values.schema.json");

  /** Key, default and range. */
  private static final Pattern ROW =
      Pattern.compile(
          "(?m)^\\| `cotenant\\.policy\\.limits\\.([a-z-]+)` \\| `[^`]*` \\| ([^|]*) \\|");

  private static final Pattern NUMBERS =
      Pattern.compile("(a whole number, )?([0-9.]+) to (below )?([0-9.]+)");

  @Test
  void limitsAreThoseOfTheDocument() throws IOException {
    ObjectNode schema = (ObjectNode) JSON.readTree(Files.readString(SCHEMA));
    ObjectNode documented = documented();
    ObjectNode limits = (ObjectNode) schema.path("definitions").path("limits");

    if (Boolean.getBoolean("cotenant.deploy.write")) {
      limits.set("properties", documented);
      Files.writeString(SCHEMA, JSON.writer(printer()).writeValueAsString(schema) + "\n");
    }
    assertThat(documented.size()).isGreaterThanOrEqualTo(7);
    assertThat(limits.path("properties")).isEqualTo(documented);
  }

  private static ObjectNode documented() {
    ObjectNode properties = JSON.createObjectNode();
    ROW.matcher(Chart.read("docs/configuration.md"))
        .results()
        .forEach(row -> properties.set(camelCase(row.group(1)), property(row.group(2))));
    return properties;
  }

  private static String camelCase(String key) {
    return Pattern.compile("-([a-z])")
        .matcher(key)
        .replaceAll(letter -> letter.group(1).toUpperCase(java.util.Locale.ROOT));
  }

  private static ObjectNode property(String range) {
    ObjectNode property = JSON.createObjectNode();
    Matcher numbers = NUMBERS.matcher(range);
    if (numbers.matches()) {
      return property
          .put("type", numbers.group(1) == null ? "number" : "integer")
          .put("minimum", Integer.parseInt(numbers.group(2)))
          .put(
              numbers.group(3) == null ? "maximum" : "exclusiveMaximum",
              Integer.parseInt(numbers.group(4)));
    }
    property.put("type", "string");
    Pattern.compile("`([^`]+)`")
        .matcher(range)
        .results()
        .map(MatchResult::group)
        .map(word -> word.replace("`", ""))
        .forEach(property.withArray("enum")::add);
    assertThat(property.path("enum")).as(range).isNotEmpty();
    return property;
  }

  private static DefaultPrettyPrinter printer() {
    DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
    return new DefaultPrettyPrinter(
            Separators.createDefaultInstance()
                .withObjectFieldValueSpacing(Separators.Spacing.AFTER))
        .withObjectIndenter(indenter)
        .withArrayIndenter(indenter);
  }
}
