package dev.cotenant.admission.assignment;

import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * By a ResourceClaim of dynamic resource allocation.
 *
 * <p>A pod names its claims when it is created, and neither that nor a claim can be changed
 * afterwards. So the claim is created late: the pod names a missing claim, in {@code
 * spec.resourceClaims[].resourceClaimName} and in the annotation {@code
 * cotenant.dev/resource-claim}; the scheduler leaves the pod pending; after the grant the claim is
 * created, with a CEL selector on the uuid. Claims made from templates exist with the pod and are
 * immutable.
 *
 * <p>One GPU cannot be allocated to two claims, so pods share a GPU exactly when they name the same
 * claim: the first of them decides which, the others fit there or wait.
 */
public final class ResourceClaims extends ByUuid {
  static final ResourceClaims INSTANCE = new ResourceClaims();

  /** Of NVIDIA's driver. */
  public static final String DEVICE_CLASS = "gpu.nvidia.com";

  private ResourceClaims() {}

  /** The CEL expression that selects exactly the granted devices. */
  public static String expression(Decision.Admitted granted) {
    String uuids =
        granted.grants().stream()
            .map(Grant::gpuUuid)
            .map(uuid -> "'" + uuid.replace("\\", "\\\\").replace("'", "\\'") + "'")
            .collect(Collectors.joining(", "));
    return "device.attributes['" + DEVICE_CLASS + "'].uuid in [" + uuids + "]";
  }

  @Override
  public Map<String, String> annotations(Colocatable pod, Decision.Admitted granted) {
    return Map.of();
  }

  @Override
  public List<String> warnings(Colocatable pod, Decision.Admitted granted) {
    return List.of();
  }
}
