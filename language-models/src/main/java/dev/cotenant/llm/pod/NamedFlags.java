package dev.cotenant.llm.pod;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values of flags by their names with dashes; a flag may have several names. */
record NamedFlags(Map<String, Value> values) {
  boolean has(String name) {
    return values.containsKey(name);
  }

  /** Value of the first present name. */
  @Nullable Value first(String... names) {
    for (String name : names) {
      Value value = values.get(name);
      if (value != null) {
        return value;
      }
    }
    return null;
  }

  /** Its text; empty without one. */
  String text(String... names) {
    Value value = first(names);
    return value == null ? "" : value.text();
  }

  boolean isTrue(String... names) {
    return text(names).equalsIgnoreCase("true");
  }
}
