package dev.cotenant.admission.kubernetes.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.ResourceAmounts;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.pod.KubernetesQuantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads resource lists. As in kube-scheduler, amounts are rounded up to thousandths of a core and
 * whole units. Negative and unreadable amounts are left out, as the API server refuses them; larger
 * ones than any cluster has are cut off.
 */
final class Amounts {
  /** 1 PiB, or as many millicores. */
  private static final BigDecimal MAX = BigDecimal.valueOf(1L << 50);

  private static final int MAX_RESOURCES = 256;

  private Amounts() {}

  static ResourceAmounts read(JsonNode list) {
    Map<String, Long> amounts = new HashMap<>();
    for (Map.Entry<String, JsonNode> entry : list.properties()) {
      JsonNode value = entry.getValue();
      if (value.isValueNode() && amounts.size() < MAX_RESOURCES) {
        KubernetesQuantity.parse(value.asText())
            .map(KubernetesQuantity::value)
            .filter(amount -> amount.signum() >= 0)
            .ifPresent(amount -> amounts.put(entry.getKey(), units(entry.getKey(), amount)));
      }
    }
    return ResourceAmounts.of(amounts);
  }

  private static long units(String resource, BigDecimal amount) {
    BigDecimal units = resource.equals(ResourceAmounts.CPU) ? amount.scaleByPowerOfTen(3) : amount;
    return units.min(MAX).setScale(0, RoundingMode.CEILING).longValueExact();
  }

  /** The requests of a container; limits count where a resource has no request. */
  static ResourceAmounts requests(JsonNode holder) {
    JsonNode resources = holder.path("resources");
    return read(resources.path("limits")).replacedBy(read(resources.path("requests")));
  }

  /**
   * The effective requests of a pod [Kubernetes 1.36, component-helpers/resource]: the sum of its
   * containers and sidecars, or more where an init container needs more beside the sidecars that
   * start before it; pod-level requests in their place; and the overhead.
   */
  static ResourceAmounts ofPod(JsonNode spec) {
    ResourceAmounts sum = ResourceAmounts.NONE;
    for (JsonNode container : spec.path("containers")) {
      sum = sum.plus(requests(container));
    }
    ResourceAmounts sidecars = ResourceAmounts.NONE;
    ResourceAmounts starting = ResourceAmounts.NONE;
    for (JsonNode container : spec.path("initContainers")) {
      ResourceAmounts own = requests(container);
      if (isSidecar(container)) {
        sum = sum.plus(own);
        sidecars = sidecars.plus(own);
        starting = starting.max(sidecars);
      } else {
        starting = starting.max(sidecars.plus(own));
      }
    }
    return sum.max(starting)
        .replacedBy(read(spec.path("resources").path("requests")))
        .plus(read(spec.path("overhead")));
  }

  static boolean isSidecar(JsonNode initContainer) {
    return "Always".equals(Json.text(initContainer, "restartPolicy"));
  }
}
