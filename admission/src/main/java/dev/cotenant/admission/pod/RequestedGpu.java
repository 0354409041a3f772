package dev.cotenant.admission.pod;

import java.util.Map;
import java.util.Optional;

/**
 * What the resources of one container request of GPUs.
 *
 * @param request a whole GPU or a part of one; empty for none, and where dialects contradict
 * @param mig the requested MIG instance
 * @param problems the quantities that break their rule
 */
record RequestedGpu(Optional<GpuRequest> request, Optional<String> mig, Problems problems) {
  static RequestedGpu of(String container, Map<String, String> resources) {
    Problems problems = new Problems();
    ResourceReader reader = new ResourceReader(container, resources, problems);
    return new RequestedGpu(
        GpuDialects.ofResources(reader), GpuDialects.migInstance(reader), problems);
  }
}
