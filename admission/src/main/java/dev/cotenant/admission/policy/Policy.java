package dev.cotenant.admission.policy;

import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.SharingLimits;
import java.time.Duration;

/**
 * What is done with the pods of a namespace.
 *
 * @param name for people and metrics
 * @param mode how far decisions reach
 * @param limits within which workloads may share, by product
 * @param queue in what order held pods are decided on, and what ends their wait
 * @param staleMetrics what to do about GPUs whose memory is not known by now
 * @param unknownModels what to do with pods whose model is not registered
 * @param targeting how a pod gets onto the GPU that it was granted
 * @param outOfMemory what follows an out-of-memory kill of a pod
 */
public record Policy(
    String name,
    Mode mode,
    DeviceLimits limits,
    Queue queue,
    StaleMetrics staleMetrics,
    UnknownModels unknownModels,
    Targeting targeting,
    OutOfMemory outOfMemory) {
  /** Name of the policy of namespaces that have none of their own. */
  public static final String STANDARD = "default";

  /** Holds pods until they fit, alone on a GPU after ten minutes. */
  public static final Policy DEFAULT =
      new Policy(
          STANDARD,
          Mode.ENFORCE,
          DeviceLimits.of(SharingLimits.DEFAULT),
          Queue.DEFAULT,
          StaleMetrics.HOLD,
          UnknownModels.EXCLUSIVE,
          Targeting.NODE_ONLY,
          OutOfMemory.REPORT);

  /** How far decisions reach. */
  public enum Mode {
    /** Pods stay unmanaged; held pods are ungated. */
    OFF,
    /** Pods stay unmanaged; the decisions are counted and listed. */
    SHADOW,
    /** As {@link #SHADOW}, with warnings to the creator of a pod. */
    WARN,
    /** Pods are held by a scheduling gate until they are granted capacity. */
    ENFORCE,
    /**
     * Decided while the pod is being created: it is granted capacity or refused. One replica only,
     * for the ledger is in the process.
     */
    IMMEDIATE
  }

  /** In what order held pods are decided on. */
  public enum Ordering {
    /** By priority class, raised with the time spent waiting; then the oldest first. */
    PRIORITY,
    /** The largest request for memory first [ResAware]; then the oldest first. */
    LARGEST_MEMORY_FIRST
  }

  /** What becomes of a pod that waited too long. */
  public enum Fallback {
    /** From then on it waits for a whole GPU. */
    EXCLUSIVE,
    /** It is ungated without a grant; the scheduler places it. */
    UNMANAGED,
    /** It goes on waiting. */
    HOLD
  }

  /** What to do about GPUs whose memory samples are missing or old. */
  public enum StaleMetrics {
    /** Nobody is granted capacity there until samples come in. */
    HOLD,
    /** What was granted there is taken for what is in use. */
    ALLOW,
    /** They are granted whole, to one workload, where nobody has them. */
    EXCLUSIVE
  }

  /** What to do with pods whose model is not registered. */
  public enum UnknownModels {
    /** They get a whole GPU. */
    EXCLUSIVE,
    /** They stay unmanaged. */
    UNMANAGED,
    /** They are refused when they are created. */
    DENY
  }

  /** How a pod gets onto the GPU that it was granted. */
  public enum Targeting {
    /** By node alone: shares only on nodes with one GPU. */
    NODE_ONLY,
    /** By the annotation that HAMi's scheduler reads. */
    HAMI,
    /** By a claim of dynamic resource allocation that selects the GPU. */
    DRA,
    /** By environment variables; bypasses the device plugin's accounting. */
    VISIBLE_DEVICES
  }

  /** What follows an out-of-memory kill of a pod. */
  public enum OutOfMemory {
    /** An Event reports it with the remedies. */
    REPORT,
    /** Where a controller makes a new one in its place it is deleted, a few times. */
    RESUBMIT
  }

  /**
   * How held pods wait.
   *
   * @param ordering in what order they are decided on
   * @param ageing how long a pod waits to be worth one more priority class step (see {@link
   *     #AGEING_STEP}); positive
   * @param maxSkips how often later pods may be granted capacity before one that waits for
   *     capacity; then nobody passes it any more. At least 0
   * @param maxWait how long a pod waits before {@code fallback}; positive
   * @param fallback what becomes of it then
   */
  public record Queue(
      Ordering ordering, Duration ageing, int maxSkips, Duration maxWait, Fallback fallback) {
    /** By how much a pod's priority grows with every {@code ageing} that it waits. */
    public static final int AGEING_STEP = 100;

    /** Ten minutes at most, then alone; twenty may pass. */
    public static final Queue DEFAULT =
        new Queue(
            Ordering.PRIORITY,
            Duration.ofMinutes(1),
            20,
            Duration.ofMinutes(10),
            Fallback.EXCLUSIVE);

    public Queue {
      if (!ageing.isPositive()) {
        throw new IllegalArgumentException("ageing must be positive, is " + ageing);
      }
      if (!maxWait.isPositive()) {
        throw new IllegalArgumentException("maxWait must be positive, is " + maxWait);
      }
      if (maxSkips < 0) {
        throw new IllegalArgumentException("maxSkips must not be negative, is " + maxSkips);
      }
    }
  }

  /** The same with another mode. */
  public Policy withMode(Mode other) {
    return new Policy(
        name, other, limits, queue, staleMetrics, unknownModels, targeting, outOfMemory);
  }

  /** The same with another way of targeting. */
  public Policy withTargeting(Targeting other) {
    return new Policy(name, mode, limits, queue, staleMetrics, unknownModels, other, outOfMemory);
  }

  /** The same with another answer to unknown models. */
  public Policy withUnknownModels(UnknownModels other) {
    return new Policy(name, mode, limits, queue, staleMetrics, other, targeting, outOfMemory);
  }

  /** The same with another answer to pods that ran out of memory. */
  public Policy withOutOfMemory(OutOfMemory other) {
    return new Policy(name, mode, limits, queue, staleMetrics, unknownModels, targeting, other);
  }

  /** The same with other limits. */
  public Policy withLimits(DeviceLimits other) {
    return new Policy(
        name, mode, other, queue, staleMetrics, unknownModels, targeting, outOfMemory);
  }
}
