package dev.cotenant.plugin;

import dev.cotenant.domain.InputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/** One map of a YAML document, whose every misuse is an exception that names file and entry. */
final class Entries {
  private static final int MAX_DEPTH = 8;

  private final Map<?, ?> map;
  private final String place;

  private Entries(Map<?, ?> map, String place) {
    this.map = map;
    this.place = place;
  }

  /**
   * The document's entries.
   *
   * @throws InputException ({@code bad-manifest}) when the text is no map in YAML
   */
  static Entries parse(String text, String file) {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    options.setNestingDepthLimit(MAX_DEPTH);
    options.setMaxAliasesForCollections(0);
    try {
      Object document = new Yaml(new SafeConstructor(options)).load(text);
      return of(document, file);
    } catch (YAMLException e) {
      String problem = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new InputException(
          InputException.Kind.MALFORMED,
          "bad-manifest",
          file + ": is not valid YAML: " + problem + ".",
          e);
    }
  }

  private static Entries of(@Nullable Object value, String place) {
    if (value instanceof Map<?, ?> map) {
      return new Entries(map, place);
    }
    throw InputException.malformed("bad-manifest", place + ": must hold entries of key and value.");
  }

  /** A misused entry. */
  InputException bad(String key, String what) {
    return InputException.malformed("bad-manifest", place + ": " + key + " " + what + ".");
  }

  /** Rejects unknown keys, which are probably misspelt. */
  void allowOnly(Set<String> keys) {
    for (Object key : map.keySet()) {
      if (!keys.contains(String.valueOf(key))) {
        throw bad("'" + key + "'", "is unknown; use " + String.join(", ", new TreeSet<>(keys)));
      }
    }
  }

  boolean has(String key) {
    return map.get(key) != null;
  }

  @Nullable String optionalText(String key) {
    return has(key) ? text(key) : null;
  }

  String text(String key) {
    if (map.get(key) instanceof String text && !text.isBlank()) {
      return text;
    }
    throw bad(key, "must be text");
  }

  double number(String key) {
    if (map.get(key) instanceof Number number) {
      return number.doubleValue();
    }
    throw bad(key, "must be a number");
  }

  Entries entries(String key) {
    return of(map.get(key), place + ": " + key);
  }

  /** At least one map. */
  List<Entries> list(String key) {
    List<Entries> all = new ArrayList<>();
    for (Object value : values(key)) {
      all.add(of(value, place + ": " + key + "[" + all.size() + "]"));
    }
    return all;
  }

  /** At least one text. */
  List<String> texts(String key) {
    List<String> all = new ArrayList<>();
    for (Object value : values(key)) {
      if (!(value instanceof String text)) {
        throw bad(key, "must be a list of texts");
      }
      all.add(text);
    }
    return all;
  }

  private List<?> values(String key) {
    if (map.get(key) instanceof List<?> list && !list.isEmpty()) {
      return list;
    }
    throw bad(key, "must be a list of at least one");
  }
}
