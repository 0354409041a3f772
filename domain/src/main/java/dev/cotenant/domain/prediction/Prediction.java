package dev.cotenant.domain.prediction;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.RunSettings;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one workload will do on one device, alone.
 *
 * @param device the device predicted for
 * @param batchSize samples per step
 * @param settings mode and precision
 * @param utilization GPU utilization (time any kernel ran) in the steady state
 * @param peakMemory peak of device memory, context included
 * @param modelVersion which predictor answered
 * @param warnings one line each: where the question lies outside what the predictor has seen
 * @param work what the graph says that it does; null where only the estimates are known
 * @param measured on which runs of this configuration on this cluster it rests; null where it is a
 *     model's estimate
 * @param stepTime wall time of one step; null where only the other estimates are known
 * @param busyTime time of a step in which kernels run; null where only the other estimates are
 *     known
 */
public record Prediction(
    DeviceId device,
    int batchSize,
    RunSettings settings,
    UtilizationEstimate utilization,
    MemoryEstimate peakMemory,
    String modelVersion,
    List<String> warnings,
    @Nullable GraphWork work,
    @Nullable MeasuredHere measured,
    @Nullable StepTimeEstimate stepTime,
    @Nullable StepTimeEstimate busyTime) {
  public Prediction {
    warnings = List.copyOf(warnings);
  }

  /** The estimates alone. */
  public Prediction(
      DeviceId device,
      int batchSize,
      RunSettings settings,
      UtilizationEstimate utilization,
      MemoryEstimate peakMemory,
      String modelVersion,
      List<String> warnings) {
    this(
        device,
        batchSize,
        settings,
        utilization,
        peakMemory,
        modelVersion,
        warnings,
        null,
        null,
        null,
        null);
  }

  /** The same with what the graph says. */
  public Prediction withWork(GraphWork known) {
    return new Prediction(
        device,
        batchSize,
        settings,
        utilization,
        peakMemory,
        modelVersion,
        warnings,
        known,
        measured,
        stepTime,
        busyTime);
  }

  /** The same with the wall time of a step. */
  public Prediction withStepTime(StepTimeEstimate known) {
    return new Prediction(
        device,
        batchSize,
        settings,
        utilization,
        peakMemory,
        modelVersion,
        warnings,
        work,
        measured,
        known,
        busyTime);
  }

  /** The same with the time in which kernels run. */
  public Prediction withBusyTime(StepTimeEstimate known) {
    return new Prediction(
        device,
        batchSize,
        settings,
        utilization,
        peakMemory,
        modelVersion,
        warnings,
        work,
        measured,
        stepTime,
        known);
  }

  /** The same with another estimate of utilization. */
  public Prediction withUtilization(UtilizationEstimate other) {
    return new Prediction(
        device,
        batchSize,
        settings,
        other,
        peakMemory,
        modelVersion,
        warnings,
        work,
        measured,
        stepTime,
        busyTime);
  }

  /** The same with another estimate of memory. */
  public Prediction withPeakMemory(MemoryEstimate other) {
    return new Prediction(
        device,
        batchSize,
        settings,
        utilization,
        other,
        modelVersion,
        warnings,
        work,
        measured,
        stepTime,
        busyTime);
  }

  /** The same from another version of a predictor. */
  public Prediction withModelVersion(String other) {
    return new Prediction(
        device,
        batchSize,
        settings,
        utilization,
        peakMemory,
        other,
        warnings,
        work,
        measured,
        stepTime,
        busyTime);
  }

  /** The same with other warnings. */
  public Prediction withWarnings(List<String> others) {
    return new Prediction(
        device,
        batchSize,
        settings,
        utilization,
        peakMemory,
        modelVersion,
        others,
        work,
        measured,
        stepTime,
        busyTime);
  }

  /** How it runs and what its graph says; empty where only the estimates are known. */
  public Optional<GraphRun> run() {
    GraphWork known = work;
    return known == null ? Optional.empty() : Optional.of(new GraphRun(known, batchSize, settings));
  }

  /** The wall time of a step; empty where only the other estimates are known. */
  public Optional<StepTimeEstimate> stepTimeIfKnown() {
    return Optional.ofNullable(stepTime);
  }

  /** Inference as a function of its request rate; empty for training and without a step time. */
  public Optional<Serving> serving() {
    StepTimeEstimate step = stepTime;
    StepTimeEstimate busy = busyTime;
    return settings.mode() == ExecutionMode.TRAINING || step == null || busy == null
        ? Optional.empty()
        : Optional.of(new Serving(batchSize, step, busy));
  }

  /**
   * This prediction, unless its request rate exceeds what the device can serve.
   *
   * @throws dev.cotenant.domain.InputException {@code request-rate-above-capacity}, with the
   *     capacity
   */
  public Prediction requirePossible() {
    if (settings.load() instanceof Load.RequestRate(double perSecond)) {
      serving().ifPresent(serving -> serving.requirePossible(perSecond, device.value()));
    }
    return this;
  }

  /** The lesser coverage of both bounds; empty where either is assumed. */
  public Optional<Coverage> coverage() {
    Coverage ofUtilization = utilization.coverage();
    Coverage ofMemory = peakMemory.coverage();
    return ofUtilization == null || ofMemory == null
        ? Optional.empty()
        : Optional.of(ofUtilization.min(ofMemory));
  }
}
