package dev.cotenant.placement.jobs;

import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.Job;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Unplaced;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Packs jobs in sequence by a rule: onto a used GPU with enough left, of the cheapest kind that has
 * one, else onto a new GPU of the cheapest kind that it fits on; ties by kind id.
 */
final class Packing {
  private final Rule rule;
  private final List<Kind> kinds = new ArrayList<>();
  private final List<OpenedGpu> opened = new ArrayList<>();
  private final List<Unplaced> unplaced = new ArrayList<>();

  private record Kind(DeviceType type, OpenGpus open, int most) {}

  private record OpenedGpu(Kind kind, int gpu) {}

  private Packing(Fleet fleet, Rule rule) {
    this.rule = rule;
    fleet.devices().stream()
        .sorted(Comparator.comparingDouble(DeviceType::pricePerHour).thenComparing(DeviceType::id))
        .forEach(type ->
            kinds.add(
                new Kind(
                    type,
                    new OpenGpus(type.memory(), rule),
                    Math.max(1, type.maxCount() - rule.limits().reserved()))));
  }

  /** Packs all jobs of the fleet. */
  static Packing of(Fleet fleet, Rule rule) {
    Packing packing = new Packing(fleet, rule);
    fleet.jobs().stream().sorted(rule.order()).forEach(packing::place);
    packing.unplaced.sort(Comparator.comparing(Unplaced::name));
    return packing;
  }

  /** GPUs in the order of opening. */
  List<PlannedGpu> gpus() {
    return opened.stream()
        .map(place -> PlannedGpu.training(place.kind.type.id(), place.kind.open.jobs(place.gpu)))
        .toList();
  }

  /** By name. */
  List<Unplaced> unplaced() {
    return unplaced;
  }

  private void place(Job job) {
    for (Kind kind : kinds) {
      Job.DevicePrediction prediction = job.predictions().get(kind.type.id());
      if (prediction != null && kind.open.addToOpen(job.name(), rule.demand(job, prediction))) {
        return;
      }
    }
    List<PlanReason> reasons = new ArrayList<>();
    for (Kind kind : kinds) {
      PlanReason why = open(kind, job);
      if (why == null) {
        return;
      }
      reasons.add(why);
    }
    unplaced.add(new Unplaced(job.name(), reasons));
  }

  /** Null where it got a new GPU. */
  private @Nullable PlanReason open(Kind kind, Job job) {
    String device = kind.type.id();
    Job.DevicePrediction prediction = job.predictions().get(device);
    if (prediction == null) {
      return new PlanReason.NotProfiled(device);
    }
    Demand demand = rule.demand(job, prediction);
    if (!kind.open.fitsAlone(demand)) {
      return new PlanReason.MemoryBeyondDevice(device, demand.memory(), kind.type.memory());
    }
    if (kind.open.size() >= kind.most) {
      return new PlanReason.CountLimit(device, kind.most);
    }
    kind.open.open(job.name(), demand);
    opened.add(new OpenedGpu(kind, kind.open.size() - 1));
    return null;
  }
}
