package dev.cotenant.admission.pod;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a pod may run.
 *
 * @param node the only node it may run on; null where any will do
 * @param unchecked constraints on nodes or devices that cannot be checked here, such as {@code
 *     nodeSelector disk}
 */
public record NodeConstraints(@Nullable String node, List<String> unchecked) {
  public NodeConstraints {
    unchecked = List.copyOf(unchecked);
  }
}
