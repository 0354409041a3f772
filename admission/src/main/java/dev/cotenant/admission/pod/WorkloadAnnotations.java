package dev.cotenant.admission.pod;

import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.text.Suggestion;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The workload of a pod's annotations.
 *
 * @param model registered name, {@code sha256:…}, or what the engine of a language model calls it;
 *     null without one
 * @param batchSize samples per step; 1 by default
 * @param settings how it runs; mode by default inference with a latency or request rate, else
 *     training
 * @param gpuMemory declared memory; null without one
 * @param sloLatency latency objective; null without one
 * @param maxSlowdown highest tolerated slowdown; null without one
 * @param riskBudget largest probability of a larger slowdown, 0 to 1; null without one
 * @param unknown unknown names of our prefix, sorted
 * @param engine how a container runs a language model; null where nothing says so
 * @param stay how long it says that it stays from its start on; null where it does not
 */
public record WorkloadAnnotations(
    @Nullable String model,
    int batchSize,
    RunSettings settings,
    @Nullable MemorySize gpuMemory,
    @Nullable Duration sloLatency,
    @Nullable Slowdown maxSlowdown,
    @Nullable Double riskBudget,
    List<String> unknown,
    @Nullable EngineRun engine,
    @Nullable Duration stay) {
  public WorkloadAnnotations {
    unknown = List.copyOf(unknown);
  }

  /** Without an engine of a language model or a stay. */
  public WorkloadAnnotations(
      @Nullable String model,
      int batchSize,
      RunSettings settings,
      @Nullable MemorySize gpuMemory,
      @Nullable Duration sloLatency,
      @Nullable Slowdown maxSlowdown,
      @Nullable Double riskBudget,
      List<String> unknown) {
    this(
        model,
        batchSize,
        settings,
        gpuMemory,
        sloLatency,
        maxSlowdown,
        riskBudget,
        unknown,
        null,
        null);
  }

  /** What is predicted; empty where nothing names a model or an engine. */
  public Optional<Workload> workload() {
    EngineRun run = engine;
    String named = model;
    if (named == null && run != null) {
      named = run.model() == null ? run.engine() : run.model();
    }
    return named == null
        ? Optional.empty()
        : Optional.of(new Workload(named, batchSize, settings, run));
  }

  /** One line per unknown annotation, with a similar known name. */
  public List<String> unknownLines() {
    if (unknown.isEmpty()) {
      return List.of();
    }
    return unknown.stream()
        .map(name ->
            "annotation "
                + name
                + " is unknown"
                + Suggestion.of(name, CotenantAnnotations.READ)
                    .map(near -> ", perhaps " + near)
                    .orElse(""))
        .toList();
  }

  /** The policy's limits, tightened by the workload's own. */
  public DeviceLimits within(DeviceLimits policy) {
    Slowdown tolerated = maxSlowdown;
    Double budget = riskBudget;
    DeviceLimits slowdown = tolerated == null ? policy : policy.withSlowdownAtMost(tolerated);
    return budget == null ? slowdown : slowdown.withStatedRisk(budget);
  }

  /** The same with another batch. */
  public WorkloadAnnotations withBatch(int other) {
    return new WorkloadAnnotations(
        model,
        other,
        settings,
        gpuMemory,
        sloLatency,
        maxSlowdown,
        riskBudget,
        unknown,
        engine,
        stay);
  }

  /** Whether a container serves a language model. */
  public boolean isServer() {
    return engine != null && engine.kind() == EngineRun.Kind.SERVER;
  }
}
