package dev.cotenant.admission.patch;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuContainer;
import dev.cotenant.admission.policy.Policy.Targeting;
import java.util.Map;
import java.util.TreeMap;

/**
 * Environment variables whose values are known only once a pod was granted capacity. A pod's
 * environment cannot be changed any more then, but its annotations can, and a variable may refer to
 * one: it is read when the container starts, and is empty where the annotation is missing.
 */
public final class LateVariables {
  /** No limit: what a pod may use of a GPU's compute until somebody decides otherwise. */
  static final String WHOLE_COMPUTE = "100";

  private static final Map<String, String> VISIBLE_DEVICES =
      new TreeMap<>(
          Map.of(
              "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
              CotenantAnnotations.MPS_ACTIVE_THREAD_PERCENTAGE,
              "NVIDIA_VISIBLE_DEVICES",
              CotenantAnnotations.ASSIGNED_GPU));

  private LateVariables() {}

  /** The variables that this way of targeting needs, each with its annotation. */
  public static Map<String, String> of(Targeting targeting) {
    return switch (targeting) {
      case NODE_ONLY, HAMI, DRA -> Map.of();
      case VISIBLE_DEVICES -> VISIBLE_DEVICES;
    };
  }

  /** What those annotations say until something was decided. */
  public static Map<String, String> defaults(Targeting targeting) {
    return switch (targeting) {
      case NODE_ONLY, HAMI, DRA -> Map.of();
      case VISIBLE_DEVICES ->
          Map.of(CotenantAnnotations.MPS_ACTIVE_THREAD_PERCENTAGE, WHOLE_COMPUTE);
    };
  }

  /** Those of the variables that a container does not set yet. */
  public static Map<String, String> missing(GpuContainer container, Map<String, String> wanted) {
    Map<String, String> missing = new TreeMap<>(wanted);
    missing.keySet().removeAll(container.variables().keySet());
    return missing;
  }

  /** Those of the variables that a container sets to something else. */
  public static Map<String, String> foreign(GpuContainer container, Map<String, String> wanted) {
    Map<String, String> foreign = new TreeMap<>(wanted);
    foreign
        .entrySet()
        .removeIf(entry -> {
          String field = container.variables().get(entry.getKey());
          return field == null || field.equals(GatePatch.field(entry.getValue()));
        });
    return foreign;
  }
}
