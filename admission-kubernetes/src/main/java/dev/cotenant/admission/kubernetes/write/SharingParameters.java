package dev.cotenant.admission.kubernetes.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Optional;

/** Opaque parameters of NVIDIA's DRA driver [resource.nvidia.com/v1beta1, GpuConfig]. */
final class SharingParameters {
  static final String DRIVER = "gpu.nvidia.com";

  private SharingParameters() {}

  /** The parameters of a sharing; empty where the driver's default applies. */
  static Optional<ObjectNode> of(ClaimSharing sharing) {
    return switch (sharing) {
      case ClaimSharing.Unset _, ClaimSharing.Capacity _, ClaimSharing.Mig _ -> Optional.empty();
      case ClaimSharing.TimeSlicing _ -> Optional.of(timeSlicing());
      case ClaimSharing.Mps mps -> Optional.of(mps(mps));
    };
  }

  private static ObjectNode config() {
    return Json.object().put("apiVersion", "resource.nvidia.com/v1beta1").put("kind", "GpuConfig");
  }

  /** The driver's validation needs an interval. */
  private static ObjectNode timeSlicing() {
    ObjectNode config = config();
    config
        .putObject("sharing")
        .put("strategy", "TimeSlicing")
        .putObject("timeSlicingConfig")
        .put("interval", "Default");
    return config;
  }

  private static ObjectNode mps(ClaimSharing.Mps mps) {
    ObjectNode config = config();
    ObjectNode limits = config.putObject("sharing").put("strategy", "MPS").putObject("mpsConfig");
    if (mps.threadPercent() != null) {
      limits.put("defaultActiveThreadPercentage", mps.threadPercent());
    }
    if (mps.memoryLimit() != null) {
      limits.put(
          "defaultPinnedDeviceMemoryLimit", mps.memoryLimit().bytes() / MemorySize.MIB + "Mi");
    }
    return config;
  }
}
