package dev.cotenant.admission.pod;

import java.util.Map;
import java.util.Set;

/**
 * A container that uses the pod's GPU.
 *
 * @param name its name
 * @param pointer its JSON pointer in the pod, {@code /spec/containers/1}
 * @param variables its environment variables with the pod field that they refer to, empty for any
 *     other value
 * @param hasVariables whether {@code env} is present
 * @param claims its claims of devices
 */
public record GpuContainer(
    String name,
    String pointer,
    Map<String, String> variables,
    boolean hasVariables,
    ClaimList claims) {
  public GpuContainer {
    variables = Map.copyOf(variables);
  }

  /**
   * {@code resources.claims} of a container.
   *
   * @param missing the levels to add before a claim
   * @param names the pod's own names of the claims
   */
  public record ClaimList(Missing missing, Set<String> names) {
    public ClaimList {
      names = Set.copyOf(names);
    }

    /** The missing level of {@code resources.claims}. */
    public enum Missing {
      NOTHING,
      CLAIMS,
      RESOURCES
    }
  }
}
