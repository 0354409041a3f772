package dev.cotenant.cli.model;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.cli.files.YamlFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A configuration file of an engine or a launcher, as settings by name. */
final class ConfigurationFile {
  private static final int DEPTH = 3;
  private static final int MAX_ITEMS = 1000;

  private ConfigurationFile() {}

  /**
   * Scalars by name; those of nested objects as {@code outer.inner}, those of lists with commas.
   */
  static Map<String, String> settings(Path file) {
    Map<String, String> settings = new LinkedHashMap<>();
    add("", YamlFile.read(file, "a configuration file"), settings, 0);
    return settings;
  }

  private static void add(String prefix, JsonNode object, Map<String, String> settings, int depth) {
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      JsonNode value = entry.getValue();
      String name = prefix + entry.getKey();
      if (value.isObject() && depth < DEPTH) {
        add(name + ".", value, settings, depth + 1);
      } else if (value.isArray()) {
        settings.put(name, joined(value));
      } else if (value.isValueNode() && !value.isNull()) {
        settings.put(name, value.asText());
      }
    }
  }

  private static String joined(JsonNode list) {
    List<String> texts = new ArrayList<>();
    for (JsonNode item : list) {
      if (item.isValueNode() && texts.size() < MAX_ITEMS) {
        texts.add(item.asText());
      }
    }
    return String.join(",", texts);
  }
}
