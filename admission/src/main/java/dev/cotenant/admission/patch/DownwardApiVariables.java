package dev.cotenant.admission.patch;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuContainer;
import dev.cotenant.admission.policy.Policy.GpuAssignment;
import java.util.Map;
import java.util.TreeMap;

/**
 * Environment variables whose values follow with the grant. A pod's environment is immutable, but
 * its annotations are not, and a variable may refer to an annotation: it is read at the start of
 * the container, and empty if absent.
 */
public final class DownwardApiVariables {
  /** No limit of compute, before the decision. */
  static final String WHOLE_COMPUTE = "100";

  private static final Map<String, String> VISIBLE_DEVICES =
      new TreeMap<>(
          Map.of(
              "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
              CotenantAnnotations.MPS_ACTIVE_THREAD_PERCENTAGE,
              "NVIDIA_VISIBLE_DEVICES",
              CotenantAnnotations.ASSIGNED_GPU));

  private DownwardApiVariables() {}

  /** Variables of a GPU assignment, by annotation. */
  public static Map<String, String> of(GpuAssignment gpuAssignment) {
    return switch (gpuAssignment) {
      case NODE_ONLY, HAMI, DRA -> Map.of();
      case VISIBLE_DEVICES -> VISIBLE_DEVICES;
    };
  }

  /** Values of these annotations before the decision. */
  public static Map<String, String> defaults(GpuAssignment gpuAssignment) {
    return switch (gpuAssignment) {
      case NODE_ONLY, HAMI, DRA -> Map.of();
      case VISIBLE_DEVICES ->
          Map.of(CotenantAnnotations.MPS_ACTIVE_THREAD_PERCENTAGE, WHOLE_COMPUTE);
    };
  }

  /** The variables that a container does not set. */
  public static Map<String, String> missing(GpuContainer container, Map<String, String> wanted) {
    Map<String, String> missing = new TreeMap<>(wanted);
    missing.keySet().removeAll(container.variables().keySet());
    return missing;
  }

  /** The variables that a container sets to another value. */
  public static Map<String, String> foreign(GpuContainer container, Map<String, String> wanted) {
    Map<String, String> foreign = new TreeMap<>(wanted);
    foreign
        .entrySet()
        .removeIf(entry -> {
          String field = container.variables().get(entry.getKey());
          return field == null || field.equals(AdmissionPatch.field(entry.getValue()));
        });
    return foreign;
  }
}
