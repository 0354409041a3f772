package dev.cotenant.placement.fleet;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.SummedShare;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Checks plans of services by any strategy against what every such plan promises, see {@link
 * ServicePlanner}, and counts what the model predicts of them.
 *
 * <p>Faults are bugs of a strategy. Violations are not: published strategies may overlook
 * interference.
 */
public final class PlacementVerifier {
  private static final double RATE_TOLERANCE = 1e-6;

  private final Fleet fleet;
  private final Map<String, DeviceType> devices;
  private final Map<String, Service> services;
  private final GpuEvaluation evaluation;

  /** For plans of this fleet. */
  public PlacementVerifier(Fleet fleet) {
    this.fleet = fleet;
    devices = index(fleet.devices(), DeviceType::id);
    services = index(fleet.services(), Service::name);
    evaluation = new GpuEvaluation(fleet);
  }

  private static <T> Map<String, T> index(Collection<T> all, Function<T, String> name) {
    return all.stream().collect(Collectors.toMap(name, each -> each));
  }

  /**
   * A plan of services; jobs are ignored. Violated are services with a turn that misses its latency
   * or its rate.
   */
  public Verification ofServices(FleetPlan plan) {
    List<PlanFault> faults = new ArrayList<>();
    Map<String, Long> used = countGpus(plan, faults);
    Map<String, Double> rates = new HashMap<>();
    Set<String> violated = new TreeSet<>();
    for (int i = 0; i < plan.gpus().size(); i++) {
      int before = faults.size();
      checkServing(i, plan.gpus().get(i), rates, faults);
      if (faults.size() == before) {
        addViolated(plan.gpus().get(i), violated);
      }
    }
    checkUnplaced(plan, rates.keySet(), new ReasonCheck(fleet, devices, used), faults);
    checkRates(plan, rates, faults);
    checkBound(plan, violated.isEmpty(), faults);
    return new Verification(faults, List.copyOf(violated), plan.unplaced().size());
  }

  private Map<String, Long> countGpus(FleetPlan plan, List<PlanFault> faults) {
    Map<String, Long> used = new LinkedHashMap<>();
    plan.gpus().forEach(gpu -> used.merge(gpu.device(), 1L, Long::sum));
    used.forEach((device, count) -> {
      DeviceType type = devices.get(device);
      if (type == null) {
        faults.add(new PlanFault.UnknownDevice(device));
      } else if (count > type.maxCount()) {
        faults.add(new PlanFault.CountExceeded(device, count, type.maxCount()));
      }
    });
    for (int i = 0; i < plan.gpus().size(); i++) {
      PlannedGpu gpu = plan.gpus().get(i);
      if (gpu.partitions().isEmpty() && gpu.jobs().isEmpty()) {
        faults.add(new PlanFault.EmptyGpu(i));
      }
    }
    return used;
  }

  private void checkServing(
      int index, PlannedGpu gpu, Map<String, Double> rates, List<PlanFault> faults) {
    SummedShare shares = SummedShare.ZERO;
    MemorySize held = MemorySize.ZERO;
    for (Partition partition : gpu.partitions()) {
      shares = shares.plus(partition.share());
      for (Turn turn : partition.turns()) {
        checkTurn(index, gpu.device(), turn, faults);
        rates.merge(turn.service(), turn.requestsPerSecond(), Double::sum);
        Service service = services.get(turn.service());
        held = service == null ? held : held.plus(service.memoryAt(turn.batch()));
      }
    }
    if (!shares.isOfOneGpu()) {
      faults.add(new PlanFault.SharesExceeded(index, Share.STEP.percentOf(shares.permille())));
    }
    DeviceType type = devices.get(gpu.device());
    if (type != null && !held.isAtMost(type.memory())) {
      faults.add(new PlanFault.MemoryExceeded(index, held, type.memory()));
    }
  }

  private void checkTurn(int index, String device, Turn turn, List<PlanFault> faults) {
    Service service = services.get(turn.service());
    DeviceType type = devices.get(device);
    if (service == null) {
      faults.add(new PlanFault.UnknownWorkload(turn.service()));
    } else if (type == null || type.profile() == null || !service.profiles().containsKey(device)) {
      faults.add(new PlanFault.NotProfiledThere(index, turn.service(), device));
    }
    if (turn.batch() < 1) {
      faults.add(new PlanFault.BatchOutOfRange(index, turn.service(), turn.batch()));
    }
    if (!(turn.requestsPerSecond() > 0) && service != null) {
      double rate = service.requestsPerSecond();
      faults.add(new PlanFault.RateNotCovered(turn.service(), turn.requestsPerSecond(), rate));
    }
  }

  private void addViolated(PlannedGpu gpu, Set<String> violated) {
    if (gpu.partitions().isEmpty()) {
      return;
    }
    evaluation.of(gpu).stream()
        .flatMap(List::stream)
        .filter(turn -> !turn.meets())
        .forEach(turn -> violated.add(turn.service()));
  }

  private void checkUnplaced(
      FleetPlan plan, Collection<String> placed, ReasonCheck check, List<PlanFault> faults) {
    Map<String, Integer> times = new LinkedHashMap<>();
    for (Unplaced unplaced : plan.unplaced()) {
      String name = unplaced.name();
      times.merge(name, 1, Integer::sum);
      if (placed.contains(name)) {
        faults.add(new PlanFault.PlacedAndUnplaced(name));
      }
      Service service = services.get(name);
      if (service == null) {
        faults.add(new PlanFault.UnknownWorkload(name));
      }
      long kinds = unplaced.reasons().stream().map(PlanReason::device).distinct().count();
      if (kinds != devices.size() || unplaced.reasons().size() != devices.size()) {
        faults.add(
            new PlanFault.ReasonsIncomplete(name, unplaced.reasons().size(), devices.size()));
      }
      for (PlanReason reason : unplaced.reasons()) {
        if (service != null && !check.isTrue(service, reason)) {
          faults.add(new PlanFault.UntrueReason(name, reason));
        }
      }
    }
    times.forEach((name, count) -> {
      if (count > 1) {
        faults.add(new PlanFault.Repeated(name, count));
      }
    });
  }

  private void checkRates(FleetPlan plan, Map<String, Double> rates, List<PlanFault> faults) {
    for (Service service : fleet.services()) {
      Double planned = rates.get(service.name());
      double rate = service.requestsPerSecond();
      if (planned != null && !(Math.abs(planned - rate) <= RATE_TOLERANCE * rate)) {
        faults.add(new PlanFault.RateNotCovered(service.name(), planned, rate));
      } else if (planned == null && !isUnplaced(plan, service.name())) {
        faults.add(new PlanFault.Missing(service.name()));
      }
    }
  }

  private static boolean isUnplaced(FleetPlan plan, String name) {
    return plan.unplaced().stream().anyMatch(each -> each.name().equals(name));
  }

  private static void checkBound(FleetPlan plan, boolean isMet, List<PlanFault> faults) {
    int bound = plan.lowerBoundGpus().orElse(0);
    if (isMet && plan.unplaced().isEmpty() && faults.isEmpty() && plan.gpus().size() < bound) {
      faults.add(new PlanFault.BoundBroken(plan.gpus().size(), bound));
    }
  }
}
