package dev.cotenant.domain.prediction;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.RunSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Prediction of one workload alone on one device.
 *
 * @param device the device predicted for
 * @param batchSize samples per step
 * @param settings mode and precision
 * @param utilization GPU utilization (time any kernel ran) in the steady state
 * @param peakMemory peak of device memory, context included
 * @param modelVersion which predictor answered
 * @param warnings one line each: where the question lies outside what the predictor has seen
 * @param work work according to the graph; null if only the estimates are known
 * @param measured the runs of this configuration on this cluster that it repeats; null for a
 *     model's estimate
 * @param stepTime wall time of one step; null where only the other estimates are known
 * @param busyTime time of a step in which kernels run; null where only the other estimates are
 *     known
 * @param shares times of a step of inference in partitions; null where not known
 * @param service whether it keeps its latency objective; null where it has none, or where the wall
 *     time of a step is not known
 * @param engine the parts of the memory of an engine with a language model; null for other
 *     workloads
 * @param stay how long it is expected to stay once it runs; null where that is not known
 * @param partition the profiled service in its partition, the whole device where it is not limited;
 *     null where it was not profiled
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
    @Nullable StepTimeEstimate busyTime,
    @Nullable ShareCurve shares,
    @Nullable ObjectivePrediction service,
    @Nullable EngineMemory engine,
    @Nullable Duration stay,
    @Nullable ServicePartition partition) {
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
        null,
        null,
        null,
        null,
        null,
        null);
  }

  /** Copy with the work according to the graph. */
  public Prediction withWork(GraphWork known) {
    return with(copy -> copy.work = known);
  }

  /** Whether its utilization comes from measured runs of this configuration. */
  public boolean isUtilizationMeasured() {
    return measured != null && measured.targets().contains(MeasuredHere.Target.UTILIZATION);
  }

  /** Copy with the measured runs that it repeats. */
  public Prediction withMeasured(@Nullable MeasuredHere runs) {
    return with(copy -> copy.measured = runs);
  }

  /** Copy with the wall time of a step. */
  public Prediction withStepTime(StepTimeEstimate known) {
    return with(copy -> copy.stepTime = known);
  }

  /** Copy with the busy time of a step. */
  public Prediction withBusyTime(StepTimeEstimate known) {
    return with(copy -> copy.busyTime = known);
  }

  /** Copy with step times in partitions. */
  public Prediction withShares(ShareCurve known) {
    return with(copy -> copy.shares = known);
  }

  /** Copy with a prediction for the latency objective. */
  public Prediction withService(ObjectivePrediction known) {
    return with(copy -> copy.service = known);
  }

  /** Copy with the parts of an engine's memory. */
  public Prediction withEngine(EngineMemory known) {
    return with(copy -> copy.engine = known);
  }

  /** Copy with an expected lifetime; null for unknown. */
  public Prediction withLifetime(@Nullable Duration expected) {
    return with(copy -> copy.stay = expected);
  }

  /** Copy with the profiled service in its partition; null for unprofiled ones. */
  public Prediction withPartition(@Nullable ServicePartition known) {
    return with(copy -> copy.partition = known);
  }

  /** The same with its latency objective met in a smaller share of the device. */
  public Prediction in(ObjectivePrediction.SmallerShare smaller) {
    ServicePartition known = partition;
    return withUtilization(utilization.times(smaller.utilizationFactor()))
        .withPartition(known == null ? null : known.in(smaller.share()))
        .withService(
            Objects.requireNonNull(service, "only a service has smaller shares").in(smaller));
  }

  /** Copy with a different utilization estimate. */
  public Prediction withUtilization(UtilizationEstimate other) {
    return with(copy -> copy.utilization = other);
  }

  /** Copy with a different memory estimate. */
  public Prediction withPeakMemory(MemoryEstimate other) {
    return with(copy -> copy.peakMemory = other);
  }

  /** Copy with a different predictor version. */
  public Prediction withModelVersion(String other) {
    return with(copy -> copy.modelVersion = other);
  }

  /** The same with other warnings. */
  public Prediction withWarnings(List<String> others) {
    return with(copy -> copy.warnings = others);
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

  /** Whether it misses its latency objective even alone. */
  public boolean missesObjective() {
    ObjectivePrediction predicted = service;
    return predicted != null && predicted.isMissed();
  }

  /**
   * This prediction, unless its request rate exceeds what the device can serve.
   *
   * @throws dev.cotenant.domain.InputException {@code request-rate-above-capacity}, with the
   *     capacity
   */
  public Prediction requirePossible() {
    if (settings.load() instanceof Load.RequestRate(double perSecond, _)) {
      serving().ifPresent(serving -> serving.requirePossible(perSecond, device.value()));
    }
    return this;
  }

  /** Copy with a warning if its peak memory exceeds, or may exceed, the device's memory. */
  public Prediction warnedOf(MemorySize ofDevice) {
    if (peakMemory.upper().isAtMost(ofDevice)) {
      return this;
    }
    String amount =
        peakMemory.mean().isAtMost(ofDevice)
            ? " may not fit: its peak memory is at most " + peakMemory.upper()
            : " does not fit: its peak memory is " + peakMemory.mean();
    List<String> all = new ArrayList<>(warnings);
    all.add("Batch " + batchSize + amount + ", " + device.value() + " has " + ofDevice + ".");
    return withWarnings(all);
  }

  /** The lesser coverage of both bounds; empty where either is assumed. */
  public Optional<Coverage> coverage() {
    Coverage ofUtilization = utilization.coverage();
    Coverage ofMemory = peakMemory.coverage();
    return ofUtilization == null || ofMemory == null
        ? Optional.empty()
        : Optional.of(ofUtilization.min(ofMemory));
  }

  private Prediction with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return copy.prediction();
  }

  /** A mutable copy. */
  private static final class Copy {
    private final DeviceId device;
    private final int batchSize;
    private final RunSettings settings;
    private UtilizationEstimate utilization;
    private MemoryEstimate peakMemory;
    private String modelVersion;
    private List<String> warnings;
    private @Nullable GraphWork work;
    private @Nullable MeasuredHere measured;
    private @Nullable StepTimeEstimate stepTime;
    private @Nullable StepTimeEstimate busyTime;
    private @Nullable ShareCurve shares;
    private @Nullable ObjectivePrediction service;
    private @Nullable EngineMemory engine;
    private @Nullable Duration stay;
    private @Nullable ServicePartition partition;

    private Copy(Prediction of) {
      device = of.device;
      batchSize = of.batchSize;
      settings = of.settings;
      utilization = of.utilization;
      peakMemory = of.peakMemory;
      modelVersion = of.modelVersion;
      warnings = of.warnings;
      work = of.work;
      measured = of.measured;
      stepTime = of.stepTime;
      busyTime = of.busyTime;
      shares = of.shares;
      service = of.service;
      engine = of.engine;
      stay = of.stay;
      partition = of.partition;
    }

    private Prediction prediction() {
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
          busyTime,
          shares,
          service,
          engine,
          stay,
          partition);
    }
  }
}
