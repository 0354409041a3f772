package dev.cotenant.cli.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.domain.InputException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * YAML as JSON, the way kubectl reads it: anchors and merge keys are followed, dates stay text, a
 * key given twice is an error.
 */
final class YamlDocuments {
  private static final int MAX_DEPTH = 100;

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final String name;
  private final int mostNodes;
  private int nodes;

  private YamlDocuments(String name, int mostNodes) {
    this.name = name;
    this.mostNodes = mostNodes;
  }

  /**
   * All documents but empty ones.
   *
   * @param name stands for the text in messages
   * @param mostNodes more are refused: aliases that repeat each other grow exponentially
   * @throws InputException ({@code not-yaml}) naming the line
   */
  static List<JsonNode> read(String text, String name, int mostNodes) {
    YamlDocuments reader = new YamlDocuments(name, mostNodes);
    List<JsonNode> documents = new ArrayList<>();
    try {
      for (@Nullable Object document : yaml(text.length()).loadAll(text)) {
        if (document != null) {
          documents.add(reader.json(document, 0));
        }
      }
    } catch (MarkedYAMLException e) {
      String line = e.getProblemMark() == null ? "" : ":" + (e.getProblemMark().getLine() + 1);
      throw notYaml(name + line, String.valueOf(e.getProblem()), e);
    } catch (YAMLException e) {
      throw notYaml(name, String.valueOf(e.getMessage()), e);
    } catch (NumberFormatException e) { // SnakeYAML's of digits in base 60
      throw notYaml(name, "a number is too large: quote it", e);
    }
    return documents;
  }

  private static Yaml yaml(int length) {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    options.setNestingDepthLimit(MAX_DEPTH);
    options.setCodePointLimit(Math.max(1, length));
    DumperOptions unused = new DumperOptions();
    return new Yaml(
        new SafeConstructor(options), new Representer(unused), unused, options, new JsonTypes());
  }

  /** The types that JSON has; a date is text. */
  private static final class JsonTypes extends Resolver {
    @Override
    protected void addImplicitResolvers() {
      addImplicitResolver(Tag.BOOL, BOOL, "yYnNtTfFoO");
      addImplicitResolver(Tag.INT, INT, "-+0123456789");
      addImplicitResolver(Tag.FLOAT, FLOAT, "-+0123456789.");
      addImplicitResolver(Tag.MERGE, MERGE, "<");
      addImplicitResolver(Tag.NULL, NULL, "~nN\0");
      addImplicitResolver(Tag.NULL, EMPTY, null);
    }
  }

  private JsonNode json(@Nullable Object value, int depth) {
    if (depth > MAX_DEPTH || ++nodes > mostNodes) {
      throw InputException.malformed(
          "not-yaml",
          name
              + ": its aliases make it deeper than "
              + MAX_DEPTH
              + " levels or larger than "
              + mostNodes
              + " values.");
    }
    return switch (value) {
      case null -> JSON.nullNode();
      case Map<?, ?> map -> object(map, depth);
      case List<?> list -> array(list, depth);
      case Boolean bool -> JSON.booleanNode(bool);
      case Integer number -> JSON.numberNode(number);
      case Long number -> JSON.numberNode(number);
      case BigInteger number -> JSON.numberNode(number);
      case Double number -> JSON.numberNode(number);
      default -> JSON.textNode(value.toString());
    };
  }

  private ObjectNode object(Map<?, ?> map, int depth) {
    ObjectNode object = JSON.objectNode();
    map.forEach((key, value) -> object.set(String.valueOf(key), json(value, depth + 1)));
    return object;
  }

  private ArrayNode array(List<?> list, int depth) {
    ArrayNode array = JSON.arrayNode();
    list.forEach(value -> array.add(json(value, depth + 1)));
    return array;
  }

  private static InputException notYaml(String place, String problem, RuntimeException cause) {
    return new InputException(
        InputException.Kind.MALFORMED,
        "not-yaml",
        place + ": is not valid YAML: " + problem.lines().findFirst().orElse("") + ".",
        cause);
  }
}
