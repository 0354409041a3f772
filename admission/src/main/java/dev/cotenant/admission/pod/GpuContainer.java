package dev.cotenant.admission.pod;

import java.util.Map;
import java.util.Set;

/**
 * A container that uses the pod's GPU.
 *
 * @param name its name
 * @param pointer its JSON pointer in the pod, {@code /spec/containers/1}
 * @param variables the environment variables that it sets: to which field of the pod they refer,
 *     empty where they are set to something else
 * @param hasVariables whether {@code env} is there, empty or not
 * @param claims the claims of devices that it uses
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
   * @param missing what would have to be added before a claim could be
   * @param names the pod's own names for the claims
   */
  public record ClaimList(Missing missing, Set<String> names) {
    public ClaimList {
      names = Set.copyOf(names);
    }

    /** How much of {@code resources.claims} is not there. */
    public enum Missing {
      NOTHING,
      CLAIMS,
      RESOURCES
    }
  }
}
