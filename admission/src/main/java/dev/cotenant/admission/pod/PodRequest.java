package dev.cotenant.admission.pod;

import dev.cotenant.domain.decision.Reason.GrantConflict.Difference;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A pod's request to Cotenant. */
public sealed interface PodRequest {
  record NoGpu() implements PodRequest {}

  /** A GPU request, opted out by label. */
  record OptedOut() implements PodRequest {}

  /** A request for a MIG instance, such as {@code nvidia.com/mig-1g.10gb}. */
  record MigInstance(String container, String resource) implements PodRequest {}

  /**
   * Invalid annotations or resources.
   *
   * @param problems one line each: name, value, rule; never empty
   */
  record Invalid(PodIdentity pod, List<String> problems) implements PodRequest {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }

  /** A request for GPUs. */
  record Colocatable(
      PodIdentity pod, GpuRequest gpu, WorkloadAnnotations workload, NodeConstraints nodes)
      implements PodRequest {

    /** The declared memory on each GPU; our own annotation overrides the dialect's resource. */
    public Optional<DeclaredMemory> declaredMemory() {
      return workload.gpuMemory() == null
          ? Optional.ofNullable(gpu.memory())
          : Optional.of(new DeclaredMemory.Amount(workload.gpuMemory()));
    }

    /** The differences of this request from {@code granted}, apart from the name. */
    public List<Difference> differencesFrom(Colocatable granted) {
      return RequestDifferences.between(granted, this);
    }

    /** The same with another name. */
    public Colocatable named(PodIdentity other) {
      return new Colocatable(other, gpu, workload, nodes);
    }

    /** The same with another batch. */
    public Colocatable withBatch(int batchSize) {
      return new Colocatable(pod, gpu, workload.withBatch(batchSize), nodes);
    }

    /** The same on another node, or on any for null. */
    public Colocatable onNode(@Nullable String node) {
      return new Colocatable(pod, gpu, workload, new NodeConstraints(node, nodes.unchecked()));
    }
  }
}
