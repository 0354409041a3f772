package dev.cotenant.admission.pod;

import dev.cotenant.domain.decision.Reason.GrantConflict.Difference;
import dev.cotenant.domain.workload.Workload;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The GPU request of a pod. */
public sealed interface PodRequest {
  /** Whole or shared GPUs in the request; empty where the request is not readable. */
  OptionalInt gpus();

  /** No GPU. */
  record NoGpu() implements PodRequest {
    @Override
    public OptionalInt gpus() {
      return OptionalInt.of(0);
    }
  }

  /** A GPU pod with the opt-out label. */
  record OptedOut(OptionalInt gpus) implements PodRequest {}

  /**
   * An instance of a GPU split by MIG.
   *
   * @param resource such as {@code nvidia.com/mig-1g.10gb}
   * @param gpus beside the instance
   */
  record MigInstance(String container, String resource, OptionalInt gpus) implements PodRequest {}

  /**
   * Annotations or resources that break their rules.
   *
   * @param problems one line each: name, value, rule; never empty
   */
  record Invalid(PodIdentity pod, List<String> problems, OptionalInt gpus) implements PodRequest {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }

  /** A request for GPUs. */
  record Colocatable(
      PodIdentity pod, GpuRequest gpu, WorkloadAnnotations workload, NodeConstraints nodes)
      implements PodRequest {
    @Override
    public OptionalInt gpus() {
      return OptionalInt.of(gpu.gpus());
    }

    /** What predictions call the model; the pod's name where nothing names one. */
    public String model() {
      return workload.workload().map(Workload::model).orElse(pod.toString());
    }

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

    /** Copy that requires this node; any node for null. */
    public Colocatable onNode(@Nullable String node) {
      return new Colocatable(pod, gpu, workload, new NodeConstraints(node, nodes.unchecked()));
    }
  }
}
