package dev.cotenant.placement.fleet;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.Locale;

/** Why a workload has no place on one kind of device, with the numbers. */
public sealed interface PlanReason {
  /** The kind of device. */
  String device();

  /** One sentence for people, with numbers and units. */
  String sentence();

  /** There are no coefficients of it on this device, or none of the device. */
  record NotProfiled(String device) implements PlanReason {
    @Override
    public String sentence() {
      return device + ": there is no profile of it";
    }
  }

  /** Alone on a whole GPU, even a batch of one takes longer than it may. */
  record ObjectiveUnreachable(String device, double leastMillis, double budgetMillis)
      implements PlanReason {
    @Override
    public String sentence() {
      return String.format(
          Locale.ROOT,
          "%s: a batch of one takes %.2f ms on a whole GPU, it may take %.2f ms",
          device,
          leastMillis,
          budgetMillis);
    }
  }

  /** Within its latency a whole GPU serves less than the rate, and it cannot be split further. */
  record RateUnreachable(String device, double mostPerSecond, double requestsPerSecond)
      implements PlanReason {
    @Override
    public String sentence() {
      return String.format(
          Locale.ROOT,
          "%s: a whole GPU serves %.1f requests a second within its latency, %.1f come",
          device,
          mostPerSecond,
          requestsPerSecond);
    }
  }

  /** It holds more memory than a GPU has. */
  record MemoryBeyondDevice(String device, MemorySize needed, MemorySize capacity)
      implements PlanReason {
    @Override
    public String sentence() {
      return device + ": it needs " + needed + ", a GPU has " + capacity;
    }
  }

  /** All GPUs of the kind are in use and none has room left. */
  record CountLimit(String device, int maxCount) implements PlanReason {
    @Override
    public String sentence() {
      return device + ": all " + maxCount + " are in use and none has room for it";
    }
  }
}
