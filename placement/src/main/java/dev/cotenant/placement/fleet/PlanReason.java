package dev.cotenant.placement.fleet;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import java.util.Locale;

/** Why a workload has no place on one kind of device, with the numbers. */
public sealed interface PlanReason {
  /** The kind of device. */
  String device();

  /** One sentence for people, with numbers and units. */
  String sentence();

  /** Coefficients of the workload on this device, or of the device, are missing. */
  record NotProfiled(String device) implements PlanReason {
    @Override
    public String sentence() {
      return device + ": no latency profile for this workload";
    }
  }

  /** Alone on a whole GPU, even a batch of one takes longer than it may. */
  record ObjectiveUnreachable(String device, double leastMillis, double budgetMillis)
      implements PlanReason {
    @Override
    public String sentence() {
      return String.format(
          Locale.ROOT,
          "%s: a batch of one takes %.2f ms on a whole GPU, the limit is %.2f ms",
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
          "%s: a whole GPU serves %.1f requests/s within the latency limit, the rate is %.1f",
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

  /** All GPUs of the kind are in use and none has enough free capacity. */
  record CountLimit(String device, int maxCount) implements PlanReason {
    @Override
    public String sentence() {
      return device + ": all " + maxCount + " are in use and no GPU has enough free capacity";
    }
  }

  /**
   * Its rate is split into several partitions, and the GPUs of the kind cannot take all of them.
   */
  record PartsLimit(String device, int parts, int maxCount) implements PlanReason {
    @Override
    public String sentence() {
      return device
          + ": its rate is split into "
          + parts
          + " partitions, which do not all fit on "
          + maxCount
          + (maxCount == 1 ? " GPU" : " GPUs");
    }
  }

  /** A placement that was given or proposed has no partition of it on this device. */
  record NotProposed(String device) implements PlanReason {
    @Override
    public String sentence() {
      return device + ": the placement has no partition of it";
    }
  }

  /** Earlier partitions leave too little memory on its GPU. */
  record MemoryTaken(String device, MemorySize needed, MemorySize left) implements PlanReason {
    @Override
    public String sentence() {
      return device + ": it needs " + needed + ", its GPU of the placement has " + left + " free";
    }
  }

  /** In its partition no batch is both in time and keeps up with the rate. */
  record NoBatch(String device, Partition partition, Prediction prediction) implements PlanReason {
    /**
     * A partition that was tried.
     *
     * @param share of the GPU
     * @param mostBatch the largest batch that may be tried
     */
    public record Partition(Share share, int mostBatch) {}

    /**
     * What was found there.
     *
     * @param leastMillis latency, queueing included, of a batch of one
     * @param sloMillis the objective
     * @param mostPerSecond what the largest batch in time serves, 0 where there is none
     * @param requestsPerSecond the rate
     */
    public record Prediction(
        double leastMillis, double sloMillis, double mostPerSecond, double requestsPerSecond) {}

    @Override
    public String sentence() {
      return String.format(
          Locale.ROOT,
          "%s: no batch from 1 to %d meets the objective in %.1f %% of a GPU: a batch of one takes"
              + " %.2f ms of %.2f ms, the largest in time serves %.1f of %.1f requests/s",
          device,
          partition.mostBatch(),
          partition.share().percent(),
          prediction.leastMillis(),
          prediction.sloMillis(),
          prediction.mostPerSecond(),
          prediction.requestsPerSecond());
    }
  }
}
