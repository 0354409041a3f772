package dev.cotenant.admission;

import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.workload.RunSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pods that ask for one GPU for training. */
public final class TestPods {
  private TestPods() {}

  public static Colocatable of(
      String namespace, String name, @Nullable String model, int batchSize) {
    return new Colocatable(
        new PodIdentity(namespace, name, null),
        new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
        new WorkloadAnnotations(
            model, batchSize, RunSettings.DEFAULT, null, null, null, null, List.of()),
        new NodeConstraints(null, List.of()));
  }
}
