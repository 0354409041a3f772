package dev.cotenant.admission.pod;

import java.util.Map;

/**
 * A container that uses the pod's GPU.
 *
 * @param name its name
 * @param pointer its JSON pointer in the pod, {@code /spec/containers/1}
 * @param variables the environment variables that it sets: to which field of the pod they refer,
 *     empty where they are set to something else
 * @param hasVariables whether {@code env} is there, empty or not
 */
public record GpuContainer(
    String name, String pointer, Map<String, String> variables, boolean hasVariables) {
  public GpuContainer {
    variables = Map.copyOf(variables);
  }
}
