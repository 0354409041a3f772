package dev.cotenant.features.operator;

import dev.cotenant.features.inference.Operator;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Operators by domain and name, as {@code Node.key} writes them. Rules tell opsets apart by what a
 * node has (an attribute that became an input), so one row serves them all.
 */
public final class OperatorTable {
  /** Operators of ONNX Runtime. */
  public static final String MICROSOFT = "com.microsoft:";

  private final Map<String, Operator> operators = new HashMap<>();

  /** The operator with that key, if it is understood. */
  public @Nullable Operator find(String key) {
    return operators.get(key);
  }

  /** Keys of all operators, sorted. */
  public SortedSet<String> keys() {
    return new TreeSet<>(operators.keySet());
  }

  public OperatorTable add(Operator operator, String... keys) {
    for (String key : keys) {
      operators.put(key, operator);
    }
    return this;
  }
}
