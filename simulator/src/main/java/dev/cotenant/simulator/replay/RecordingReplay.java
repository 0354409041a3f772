package dev.cotenant.simulator.replay;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.simulator.policy.Policies;
import dev.cotenant.simulator.replay.PolicyOutcome.Harm;
import dev.cotenant.simulator.replay.PolicyOutcome.Range;
import dev.cotenant.simulator.replay.PolicyOutcome.Waits;
import dev.cotenant.simulator.replay.ReplayReport.Confidence;
import dev.cotenant.simulator.replay.ReplayReport.Recorded;
import dev.cotenant.simulator.world.recorder.RecordedRun;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Runs policies on what a cluster recorded. Each product is a cluster of its own: jobs stay on the
 * product on which they ran. The same recording and settings give the same report.
 *
 * <p>A policy runs with as many GPUs as jobs need, once for each draw of errors, and once in a
 * fleet of the recorded size.
 */
public final class RecordingReplay {
  private final ReplaySettings settings;
  private final Recording recording;
  private final List<Fleet> fleets = new ArrayList<>();

  /**
   * The jobs of a product.
   *
   * @param gpus its GPUs in the recording, at least as many as jobs held at a time
   * @param hidden how many of these the recording does not count
   */
  private record Fleet(Workload workload, int gpus, int hidden) {}

  /**
   * @throws InputException where the recording has no job ({@code recording-empty}), too many, or a
   *     product that the catalogue lacks
   */
  public RecordingReplay(Recording recording, ReplaySettings settings, DeviceCatalogue devices) {
    this.settings = settings;
    this.recording = recording;
    if (recording.jobs().isEmpty()) {
      throw InputException.malformed(
          "recording-empty",
          recording.source()
              + " has no job that can be replayed"
              + recording.findings().stream()
                  .map(finding -> "; " + finding)
                  .collect(Collectors.joining())
              + ".");
    }
    Instant start = recording.jobs().getFirst().times().submitted();
    for (Map.Entry<DeviceId, List<RecordedJob>> jobs : recording.byDevice().entrySet()) {
      Device device = devices.require(jobs.getKey().value());
      Workload workload = new Workload(device, jobs.getValue(), start, recording.truth());
      int held = workload.mostHeld();
      int counted = recording.fleet().getOrDefault(jobs.getKey(), held);
      fleets.add(new Fleet(workload, Math.max(held, counted), Math.max(0, held - counted)));
    }
  }

  /**
   * The report.
   *
   * @param progress takes a line before each policy
   */
  public ReplayReport run(Consumer<String> progress) {
    return run(progress, (_, _) -> {});
  }

  /**
   * The same with time lines.
   *
   * @param runs takes a run of each policy in the recorded fleet of each product
   */
  public ReplayReport run(Consumer<String> progress, BiConsumer<DeviceId, RecordedRun> runs) {
    List<PolicyOutcome> outcomes = new ArrayList<>();
    for (String policy : settings.policies()) {
      progress.accept(policy);
      outcomes.add(outcome(policy, runs));
    }
    return new ReplayReport(recorded(), confidence(), outcomes, findings());
  }

  private PolicyOutcome outcome(String policy, BiConsumer<DeviceId, RecordedRun> runs) {
    boolean isUncertain =
        recording.truth().isUncertain() && !policy.equals(ReplaySettings.BASELINE);
    int draws = isUncertain ? settings.draws() : 1;
    List<Drawn> drawn = new ArrayList<>();
    for (int draw = 0; draw < draws; draw++) {
      drawn.add(drawn(policy, draw));
    }
    Waits waits = new Waits(0, 0, 0, 0);
    for (Fleet fleet : fleets) {
      PolicyRun run = run(policy, fleet.workload(), fleet.gpus(), 0);
      waits = waits.plus(run.waits());
      runs.accept(fleet.workload().device().id(), run.recorded(policy));
    }
    return new PolicyOutcome(
        policy,
        range(drawn, Drawn::gpus),
        range(drawn, Drawn::gpuHours),
        waits,
        new Harm(
            range(drawn, one -> one.slowdowns().outOfMemory()),
            range(drawn, one -> one.slowdowns().slowed()),
            range(drawn, one -> one.slowdowns().mean()),
            range(drawn, one -> one.slowdowns().percentile95()),
            Slowdowns.most(drawn.stream().map(Drawn::slowdowns).toList())));
  }

  /** One draw over all products. */
  private record Drawn(double gpus, double gpuHours, Slowdowns slowdowns) {}

  private Drawn drawn(String policy, int draw) {
    double gpus = 0;
    double gpuHours = 0;
    Slowdowns slowdowns = new Slowdowns();
    for (Fleet fleet : fleets) {
      Workload workload = fleet.workload();
      PolicyRun run =
          run(policy, workload, Math.min(workload.arrivals().size(), ample(fleet)), draw);
      gpus += run.mostBusy();
      gpuHours += run.gpuHours();
      slowdowns.add(run, workload.jobs());
    }
    return new Drawn(gpus, gpuHours, slowdowns);
  }

  /**
   * Slowed jobs overlap with more others than recorded ones; twice as many GPUs are never short.
   */
  private static int ample(Fleet fleet) {
    return 2 * fleet.workload().mostHeld();
  }

  private PolicyRun run(String policy, Workload workload, int gpus, int draw) {
    return new PolicyRun(
        workload,
        gpus,
        draw,
        world ->
            Policies.make(
                policy,
                new Policies.Setting(
                    world,
                    settings.decider(),
                    settings.limits(),
                    workload.device().id(),
                    settings.limits().tenants())));
  }

  private static Range range(List<Drawn> drawn, ToDoubleFunction<Drawn> figure) {
    return Range.of(drawn.stream().map(figure::applyAsDouble).toList());
  }

  private Recorded recorded() {
    return new Recorded(
        recording.source(),
        recording.jobs().size(),
        fleets.stream().mapToLong(Fleet::gpus).sum(),
        recording.jobs().stream().mapToDouble(RecordedJob::gpuHours).sum(),
        Waits.of(
            recording.jobs().stream().mapToLong(job -> job.times().waited().toNanos()).toArray(),
            0),
        recording.truth().text());
  }

  private Confidence confidence() {
    double hours = recorded().gpuHours();
    double shareableHours = 0;
    long shareable = 0;
    for (Fleet fleet : fleets) {
      for (RecordedJob job : fleet.workload().jobs()) {
        if (Workload.isShareable(job, fleet.workload().device())) {
          shareable++;
          shareableHours += job.gpuHours();
        }
      }
    }
    return new Confidence(
        percent(job -> job.usage().isMeasured() && job.usage().utilization() != null),
        percent(job -> job.usage().isMeasured() && job.usage().peakMemory() != null),
        percent(job -> job.times().extent() == RecordedJob.Extent.WHOLE),
        percent(job -> !job.origin().configuration().isEmpty()),
        100.0 * shareable / recording.jobs().size(),
        100 * shareableHours / hours);
  }

  private double percent(Predicate<RecordedJob> holds) {
    return 100.0 * recording.jobs().stream().filter(holds).count() / recording.jobs().size();
  }

  private List<Recording.Finding> findings() {
    List<Recording.Finding> all = new ArrayList<>(recording.findings());
    add(
        all,
        job -> job.allocation().gpus() > 1,
        "with several GPUs: whole under every policy, members start one by one");
    add(
        all,
        job -> job.usage().peakMemory() != null && job.usage().requestedMemory() == null,
        "without requested memory: gpushare trusts the measured peak, its best case");
    long tooLarge =
        fleets.stream()
            .flatMap(fleet ->
                fleet.workload().jobs().stream()
                    .filter(job -> exceeds(job, fleet.workload().device())))
            .count();
    if (tooLarge > 0) {
      all.add(
          new Recording.Finding(
              tooLarge, "job", "with a peak above the product's memory: whole under every policy"));
    }
    long unknown = fleets.stream().mapToLong(fleet -> fleet.workload().unknown()).sum();
    if (unknown > 0) {
      all.add(
          new Recording.Finding(
              unknown,
              "job",
              "without an earlier run of the same model or image: whole under decide and"
                  + " utilization"));
    }
    long hidden = fleets.stream().mapToLong(Fleet::hidden).sum();
    if (hidden > 0) {
      all.add(
          new Recording.Finding(
              hidden,
              "GPU",
              "held beyond those with DCGM series (nodes without dcgm-exporter, or GPUs that"
                  + " time-slicing counts several times): the fleet is as large as jobs held"));
    }
    return all;
  }

  private static boolean exceeds(RecordedJob job, Device device) {
    var peak = job.usage().peakMemory();
    return peak != null && job.allocation().gpus() == 1 && !peak.isAtMost(device.memory());
  }

  private void add(List<Recording.Finding> all, Predicate<RecordedJob> holds, String text) {
    long count = recording.jobs().stream().filter(holds).count();
    if (count > 0) {
      all.add(new Recording.Finding(count, "job", text));
    }
  }
}
