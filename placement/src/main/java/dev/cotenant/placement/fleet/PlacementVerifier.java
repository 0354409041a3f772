package dev.cotenant.placement.fleet;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
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
 * Checks plans of any strategy against what every plan promises, see {@link ServicePlanner} and
 * {@link JobPacker}, and counts what the model predicts of them.
 *
 * <p>Faults are bugs of a strategy. Violations are not: published strategies may overlook
 * interference.
 */
public final class PlacementVerifier {
  private static final double RATE_TOLERANCE = 1e-6;

  private final Fleet fleet;
  private final Map<String, DeviceType> devices;
  private final Map<String, Service> services;
  private final Map<String, Job> jobs;
  private final GpuEvaluation evaluation;

  /** For plans of this fleet. */
  public PlacementVerifier(Fleet fleet) {
    this.fleet = fleet;
    devices = index(fleet.devices(), DeviceType::id);
    services = index(fleet.services(), Service::name);
    jobs = index(fleet.jobs(), Job::name);
    evaluation = new GpuEvaluation(fleet);
  }

  private static <T> Map<String, T> index(Collection<T> all, Function<T, String> name) {
    return all.stream().collect(Collectors.toMap(name, each -> each));
  }

  /**
   * A plan of services: jobs are left alone. Violated are services with a turn that misses its
   * latency or its rate.
   */
  public Verdict ofServices(FleetPlan plan) {
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
    ReasonCheck check = new ReasonCheck(fleet, devices, used);
    checkUnplaced(
        plan,
        rates.keySet(),
        (name, reason) -> {
          Service service = services.get(name);
          return service == null || check.isTrue(service, reason);
        },
        faults);
    checkRates(plan, rates, faults);
    checkBound(plan, violated.isEmpty(), faults);
    return verdict(plan, faults, violated);
  }

  /**
   * A plan of jobs: services are left alone. Violated are jobs on a GPU whose predicted peaks add
   * up to more than its memory.
   *
   * @param limits what its packer promises
   */
  public Verdict ofJobs(FleetPlan plan, JobLimits limits) {
    List<PlanFault> faults = new ArrayList<>();
    countGpus(plan, faults);
    JobCheck promises = new JobCheck(devices, jobs, limits);
    Map<String, Integer> times = new LinkedHashMap<>();
    Set<String> violated = new TreeSet<>();
    for (int i = 0; i < plan.gpus().size(); i++) {
      checkTraining(i, plan.gpus().get(i), violated, faults);
      promises.check(i, plan.gpus().get(i), faults);
      plan.gpus().get(i).jobs().forEach(job -> times.merge(job, 1, Integer::sum));
    }
    times.forEach((job, count) -> {
      if (count > 1) {
        faults.add(new PlanFault.Repeated(job, count));
      }
    });
    checkUnplaced(
        plan,
        times.keySet(),
        (name, reason) -> {
          Job job = jobs.get(name);
          return job == null || promises.isTrue(job, reason, plan.gpus());
        },
        faults);
    for (Job job : fleet.jobs()) {
      if (!times.containsKey(job.name()) && !isUnplaced(plan, job.name())) {
        faults.add(new PlanFault.Missing(job.name()));
      }
    }
    return verdict(plan, faults, violated);
  }

  private Verdict verdict(FleetPlan plan, List<PlanFault> faults, Set<String> violated) {
    double cost = 0;
    for (PlannedGpu gpu : plan.gpus()) {
      DeviceType type = devices.get(gpu.device());
      cost += type == null ? 0 : type.pricePerHour();
    }
    return new Verdict(
        faults, List.copyOf(violated), plan.unplaced().size(), plan.gpus().size(), cost);
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
    int permille = 0;
    MemorySize held = MemorySize.ZERO;
    for (Partition partition : gpu.partitions()) {
      permille += partition.share().permille();
      for (Turn turn : partition.turns()) {
        checkTurn(index, gpu.device(), turn, faults);
        rates.merge(turn.service(), turn.requestsPerSecond(), Double::sum);
        Service service = services.get(turn.service());
        MemorySize memory = service == null ? null : service.memory();
        held = memory == null ? held : held.plus(memory);
      }
    }
    if (permille > Share.WHOLE.permille()) {
      faults.add(new PlanFault.SharesExceeded(index, Share.STEP.percentOf(permille)));
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

  private void checkTraining(
      int index, PlannedGpu gpu, Set<String> violated, List<PlanFault> faults) {
    MemorySize peak = MemorySize.ZERO;
    for (String name : gpu.jobs()) {
      Job job = jobs.get(name);
      if (job == null) {
        faults.add(new PlanFault.UnknownWorkload(name));
        continue;
      }
      Job.Outlook outlook = job.outlooks().get(gpu.device());
      if (outlook == null) {
        faults.add(new PlanFault.NotProfiledThere(index, name, gpu.device()));
        continue;
      }
      peak = peak.plus(outlook.peakMemory());
    }
    DeviceType type = devices.get(gpu.device());
    if (type != null && !peak.isAtMost(type.memory())) {
      violated.addAll(gpu.jobs());
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

  private interface Truth {
    boolean holds(String name, PlanReason reason);
  }

  private void checkUnplaced(
      FleetPlan plan, Collection<String> placed, Truth truth, List<PlanFault> faults) {
    Map<String, Integer> times = new LinkedHashMap<>();
    for (Unplaced unplaced : plan.unplaced()) {
      String name = unplaced.name();
      times.merge(name, 1, Integer::sum);
      if (placed.contains(name)) {
        faults.add(new PlanFault.PlacedAndUnplaced(name));
      }
      if (!services.containsKey(name) && !jobs.containsKey(name)) {
        faults.add(new PlanFault.UnknownWorkload(name));
      }
      long kinds = unplaced.reasons().stream().map(PlanReason::device).distinct().count();
      if (kinds != devices.size() || unplaced.reasons().size() != devices.size()) {
        faults.add(
            new PlanFault.ReasonsIncomplete(name, unplaced.reasons().size(), devices.size()));
      }
      for (PlanReason reason : unplaced.reasons()) {
        if (!truth.holds(name, reason)) {
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

  private static void checkBound(FleetPlan plan, boolean kept, List<PlanFault> faults) {
    int bound = plan.lowerBoundGpus().orElse(0);
    if (kept && plan.unplaced().isEmpty() && faults.isEmpty() && plan.gpus().size() < bound) {
      faults.add(new PlanFault.BoundBroken(plan.gpus().size(), bound));
    }
  }
}
