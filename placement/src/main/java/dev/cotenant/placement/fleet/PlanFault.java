package dev.cotenant.placement.fleet;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.SummedUtilization;
import java.util.Locale;

/** What is wrong with a plan whatever the model predicts of it, with the numbers. */
public sealed interface PlanFault {
  /** One sentence for people. */
  String sentence();

  /** The partitions of a GPU add up to more than the whole. */
  record SharesExceeded(int gpu, double percent) implements PlanFault {
    @Override
    public String sentence() {
      return "GPU " + gpu + " gives away " + percent + " % of itself";
    }
  }

  /** Workloads hold more memory than the GPU has, or than it may give away. */
  record MemoryExceeded(int gpu, MemorySize held, MemorySize capacity) implements PlanFault {
    @Override
    public String sentence() {
      return "GPU " + gpu + " holds " + held + " of " + capacity;
    }
  }

  /** More jobs on a GPU than its packer allows. */
  record TooManyJobs(int gpu, int jobs, int most) implements PlanFault {
    @Override
    public String sentence() {
      return "GPU " + gpu + " runs " + jobs + " jobs, it may run " + most;
    }
  }

  /** Estimates of jobs on a GPU add up to more than its packer allows. */
  record UtilizationExceeded(int gpu, SummedUtilization sum, SummedUtilization limit)
      implements PlanFault {
    @Override
    public String sentence() {
      return "GPU " + gpu + " would be busy " + sum + " of the time, limit " + limit;
    }
  }

  /** More GPUs of a kind than there are. */
  record CountExceeded(String device, long used, int maxCount) implements PlanFault {
    @Override
    public String sentence() {
      return used + " GPUs of kind " + device + " are used, there are " + maxCount;
    }
  }

  /** A GPU that runs nothing. */
  record EmptyGpu(int gpu) implements PlanFault {
    @Override
    public String sentence() {
      return "GPU " + gpu + " runs nothing";
    }
  }

  /** A kind of device that the fleet does not have. */
  record UnknownDevice(String device) implements PlanFault {
    @Override
    public String sentence() {
      return "the fleet has no device " + device;
    }
  }

  /** A workload that the fleet does not have. */
  record UnknownWorkload(String name) implements PlanFault {
    @Override
    public String sentence() {
      return "the fleet has no such workload: " + name;
    }
  }

  /** A workload runs where nothing is known of it. */
  record NotProfiledThere(int gpu, String name, String device) implements PlanFault {
    @Override
    public String sentence() {
      return "GPU " + gpu + " runs " + name + ", which has no profile on " + device;
    }
  }

  /** A batch below 1. */
  record BatchOutOfRange(int gpu, String name, int batch) implements PlanFault {
    @Override
    public String sentence() {
      return "GPU " + gpu + " runs " + name + " with a batch of " + batch;
    }
  }

  /** The turns of a service do not add up to its rate, or one serves nothing. */
  record RateNotCovered(String name, double planned, double requestsPerSecond)
      implements PlanFault {
    @Override
    public String sentence() {
      return String.format(
          Locale.ROOT,
          "%s: %.3f of %.3f requests a second are planned",
          name,
          planned,
          requestsPerSecond);
    }
  }

  /** A workload that is neither placed nor unplaced. */
  record Missing(String name) implements PlanFault {
    @Override
    public String sentence() {
      return name + " is not in the plan";
    }
  }

  /** A workload that is in the plan more often than it may be. */
  record Repeated(String name, int times) implements PlanFault {
    @Override
    public String sentence() {
      return name + " is in the plan " + times + " times";
    }
  }

  /** A workload that has a place and reasons why it has none. */
  record PlacedAndUnplaced(String name) implements PlanFault {
    @Override
    public String sentence() {
      return name + " is placed and among the unplaced";
    }
  }

  /** A reason that the model does not bear out. */
  record UntrueReason(String name, PlanReason reason) implements PlanFault {
    @Override
    public String sentence() {
      return name + " is said to have no place, which is not so: " + reason.sentence();
    }
  }

  /** The reasons are not one for each kind of device. */
  record ReasonsIncomplete(String name, int reasons, int devices) implements PlanFault {
    @Override
    public String sentence() {
      return name + " has " + reasons + " reasons for " + devices + " kinds of device";
    }
  }

  /** A plan without violations that needs fewer GPUs than its own bound. */
  record BoundBroken(int gpus, int lowerBoundGpus) implements PlanFault {
    @Override
    public String sentence() {
      return gpus + " GPUs suffice, the plan says that it takes " + lowerBoundGpus;
    }
  }
}
