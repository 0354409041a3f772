package dev.cotenant.admission.pod;

import dev.cotenant.domain.decision.Reason.GrantConflict.Difference;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a pod asks of Cotenant. */
public sealed interface PodRequest {
  /** It asks for no GPU. */
  record NoGpu() implements PodRequest {}

  /** It asks for a GPU and has opted out by label. */
  record OptedOut() implements PodRequest {}

  /**
   * It asks for an instance of a GPU that MIG has split, such as {@code nvidia.com/mig-1g.10gb}.
   */
  record MigInstance(String container, String resource) implements PodRequest {}

  /**
   * Its annotations or resources cannot be understood.
   *
   * @param problems one line each: name, value, rule; never empty
   */
  record Invalid(PodIdentity pod, List<String> problems) implements PodRequest {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }

  /** It asks for GPUs. */
  record Colocatable(
      PodIdentity pod, GpuRequest gpu, WorkloadAnnotations workload, NodeConstraints nodes)
      implements PodRequest {

    /**
     * What it declares to need on each GPU; our own annotation says more than a dialect's resource.
     */
    public Optional<DeclaredMemory> declaredMemory() {
      return workload.gpuMemory() == null
          ? Optional.ofNullable(gpu.memory())
          : Optional.of(new DeclaredMemory.Amount(workload.gpuMemory()));
    }

    /** In what this pod asks for something else than {@code granted}; the name does not count. */
    public List<Difference> differencesFrom(Colocatable granted) {
      return RequestDifferences.between(granted, this);
    }

    /** The same under another name. */
    public Colocatable named(PodIdentity other) {
      return new Colocatable(other, gpu, workload, nodes);
    }

    /** The same with so many samples per step. */
    public Colocatable withBatch(int batchSize) {
      return new Colocatable(pod, gpu, workload.withBatch(batchSize), nodes);
    }

    /** The same on another node, or on any where it is null. */
    public Colocatable onNode(@Nullable String node) {
      return new Colocatable(pod, gpu, workload, new NodeConstraints(node, nodes.unchecked()));
    }
  }
}
