package dev.cotenant.admission.review;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The difference of two documents as a patch. */
public final class JsonChanges {
  private final List<JsonPatch.Operation> operations = new ArrayList<>();

  private JsonChanges() {}

  /**
   * A patch from one document to another: objects and arrays of objects are compared member by
   * member, elements at the end of an array are appended, and other arrays are replaced, because
   * adding an element in the middle is an insertion.
   */
  public static JsonPatch between(JsonNode before, JsonNode after) {
    JsonChanges changes = new JsonChanges();
    changes.compare("", before, after);
    return new JsonPatch(changes.operations);
  }

  private void compare(String pointer, JsonNode before, JsonNode after) {
    if (isShared(before, after)) {
      return;
    }
    if (before instanceof ObjectNode from && after instanceof ObjectNode to) {
      members(pointer, from, to);
    } else if (before.isArray() && after.isArray() && isGrown(before, after)) {
      elements(pointer, before, after);
    } else if (!before.equals(after)) {
      operations.add(new JsonPatch.Add(pointer, after));
    }
  }

  private void members(String pointer, ObjectNode before, ObjectNode after) {
    for (Iterator<String> names = before.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!after.has(name)) {
        operations.add(new JsonPatch.Remove(pointer + JsonPatch.pointer(name)));
      }
    }
    after
        .properties()
        .forEach(member -> {
          JsonNode from = before.get(member.getKey());
          JsonNode to = member.getValue();
          if (isShared(from, to) || (to.isValueNode() && to.equals(from))) {
            return; // most are
          }
          String at = pointer + JsonPatch.pointer(member.getKey());
          if (from == null) {
            operations.add(new JsonPatch.Add(at, to));
          } else {
            compare(at, from, to);
          }
        });
  }

  /** Copies share what they do not change, which needs no look. */
  @SuppressWarnings("ReferenceEquality")
  private static boolean isShared(@Nullable JsonNode before, JsonNode after) {
    return before == after;
  }

  private static boolean isGrown(JsonNode before, JsonNode after) {
    boolean grown = before.size() <= after.size();
    for (int i = 0; grown && i < before.size(); i++) {
      JsonNode from = before.get(i);
      JsonNode to = after.get(i);
      grown = isShared(from, to) || (from.isObject() && to.isObject()) || from.equals(to);
    }
    return grown;
  }

  private void elements(String pointer, JsonNode before, JsonNode after) {
    for (int i = 0; i < after.size(); i++) {
      if (i < before.size()) {
        compare(pointer + "/" + i, before.get(i), after.get(i));
      } else {
        operations.add(new JsonPatch.Add(pointer + "/-", after.get(i)));
      }
    }
  }
}
