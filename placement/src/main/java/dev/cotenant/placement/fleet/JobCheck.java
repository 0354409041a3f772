package dev.cotenant.placement.fleet;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.SummedUtilization;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Holds the GPUs of a plan of jobs, and its reasons, against what the packer promises. */
final class JobCheck {
  private static final double ROUNDING_PERCENT = 1e-6;

  private final Map<String, DeviceType> devices;
  private final Map<String, Job> jobs;
  private final JobLimits limits;

  JobCheck(Map<String, DeviceType> devices, Map<String, Job> jobs, JobLimits limits) {
    this.devices = devices;
    this.jobs = jobs;
    this.limits = limits;
  }

  /** What the jobs of a GPU take together; jobs that are not known there nothing. */
  private record Load(int jobs, double percent, MemorySize memory) {
    Load plus(double morePercent, MemorySize more) {
      return new Load(jobs + 1, percent + morePercent, memory.plus(more));
    }
  }

  void check(int index, PlannedGpu gpu, List<PlanFault> faults) {
    Load load = load(gpu);
    if (load.jobs > limits.mostJobs()) {
      faults.add(new PlanFault.TooManyJobs(index, load.jobs, limits.mostJobs()));
    }
    SummedUtilization most = limits.summedUtilization();
    if (most != null && load.percent > most.percent() + ROUNDING_PERCENT) {
      faults.add(
          new PlanFault.UtilizationExceeded(
              index, SummedUtilization.ofPercent(load.percent), most));
    }
    DeviceType type = devices.get(gpu.device());
    if (type != null && !holds(load.memory, type.memory())) {
      faults.add(new PlanFault.MemoryExceeded(index, load.memory, type.memory()));
    }
  }

  /** Whether a reason why the job has no place is borne out by the GPUs of the plan. */
  boolean isTrue(Job job, PlanReason reason, List<PlannedGpu> gpus) {
    return switch (reason) {
      case PlanReason.NotProfiled none ->
          devices.containsKey(none.device()) && !job.outlooks().containsKey(none.device());
      case PlanReason.MemoryBeyondDevice memory -> isTrue(job, memory);
      case PlanReason.CountLimit limit -> isTrue(job, limit, gpus);
      case PlanReason.ObjectiveUnreachable _,
          PlanReason.RateUnreachable _,
          PlanReason.PartsLimit _,
          PlanReason.NotProposed _,
          PlanReason.MemoryTaken _,
          PlanReason.NoBatch _ ->
          false;
    };
  }

  /** All GPUs of the kind are in use, and the job would break a promise on each. */
  private boolean isTrue(Job job, PlanReason.CountLimit reason, List<PlannedGpu> gpus) {
    DeviceType type = devices.get(reason.device());
    Job.Outlook outlook = job.outlooks().get(reason.device());
    if (type == null || outlook == null) {
      return false;
    }
    List<PlannedGpu> ofKind =
        gpus.stream().filter(gpu -> gpu.device().equals(reason.device())).toList();
    return reason.maxCount() == Math.max(1, type.maxCount() - limits.keptAside())
        && ofKind.size() >= reason.maxCount()
        && ofKind.stream().noneMatch(gpu -> hasRoom(load(gpu), job, outlook, type));
  }

  /** The job needs more than a GPU of the kind can hold, by the figure that counts. */
  private boolean isTrue(Job job, PlanReason.MemoryBeyondDevice reason) {
    DeviceType type = devices.get(reason.device());
    Job.Outlook outlook = job.outlooks().get(reason.device());
    return type != null
        && outlook != null
        && reason.needed().equals(memory(job, outlook))
        && reason.capacity().equals(type.memory())
        && !holds(reason.needed(), reason.capacity());
  }

  private boolean hasRoom(Load load, Job job, Job.Outlook outlook, DeviceType type) {
    Load with = load.plus(outlook.utilization().percent(), memory(job, outlook));
    SummedUtilization most = limits.summedUtilization();
    return with.jobs <= limits.mostJobs()
        && (most == null || with.percent <= most.percent() - ROUNDING_PERCENT)
        && holds(with.memory, type.memory());
  }

  private Load load(PlannedGpu gpu) {
    Load load = new Load(0, 0, MemorySize.ZERO);
    for (String name : gpu.jobs()) {
      Job job = jobs.get(name);
      Job.@Nullable Outlook outlook = job == null ? null : job.outlooks().get(gpu.device());
      load =
          job == null || outlook == null
              ? load.plus(0, MemorySize.ZERO)
              : load.plus(outlook.utilization().percent(), memory(job, outlook));
    }
    return load;
  }

  private MemorySize memory(Job job, Job.Outlook outlook) {
    return switch (limits.memory()) {
      case PREDICTED -> outlook.peakMemory();
      case REQUESTED, REQUESTED_LESS_THAN_ALL -> job.requested();
    };
  }

  private boolean holds(MemorySize needed, MemorySize capacity) {
    return switch (limits.memory()) {
      case PREDICTED, REQUESTED -> needed.isAtMost(capacity);
      case REQUESTED_LESS_THAN_ALL -> needed.compareTo(capacity) < 0;
    };
  }
}
