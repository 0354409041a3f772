package dev.cotenant.admission.pod;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The constraints of a pod on nodes.
 *
 * @param node its only node; null for any
 * @param unchecked constraints on nodes or devices that the webhook cannot check, such as {@code
 *     nodeSelector disk}
 */
public record NodeConstraints(@Nullable String node, List<String> unchecked) {
  public NodeConstraints {
    unchecked = List.copyOf(unchecked);
  }
}
