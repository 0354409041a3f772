package dev.cotenant.admission.policy;

import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.text.DnsSubdomain;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How Cotenant treats the pods of a namespace.
 *
 * @param name for people and metrics
 * @param mode how decisions take effect
 * @param limits within which workloads may share, by product
 * @param queue the order and the maximum wait of gated pods
 * @param staleMetrics the treatment of GPUs without current memory samples
 * @param unknownModels the treatment of pods with unregistered models
 * @param gpuAssignment how a pod gets onto its granted GPU
 * @param outOfMemory the reaction to an out-of-memory kill
 * @param unschedulable the reaction to a granted pod that its scheduler refuses
 * @param claimSharing the configuration of sharing in ResourceClaims, with GPU assignment {@code
 *     DRA}
 * @param preemption what gives way to pods of higher priority
 * @param schedulerName the scheduler that calls the extender and places the pods of this policy, a
 *     DNS-1123 subdomain; null where the gate places them. Not with GPU assignment {@code HAMI} or
 *     {@code DRA}
 * @param engineBudget whether the memory that a pod declares is written into the arguments of its
 *     server of a language model
 * @param trust the namespaces whose pods share GPUs with pods of this policy
 * @param measuring measurements of its pods
 * @param filling what is filled into requests, in modes {@code FILL} and {@code CAP}
 */
public record Policy(
    String name,
    Mode mode,
    DeviceLimits limits,
    Queue queue,
    StaleMetrics staleMetrics,
    UnknownModels unknownModels,
    GpuAssignment gpuAssignment,
    OutOfMemory outOfMemory,
    Unschedulable unschedulable,
    ClaimSharing claimSharing,
    Preemption preemption,
    @Nullable String schedulerName,
    EngineBudget engineBudget,
    TrustScope trust,
    Measuring measuring,
    Filling filling) {
  /** Name of the policy for namespaces without one. */
  public static final String STANDARD = "default";

  /** Gates pods until they fit; exclusive after ten minutes. */
  public static final Policy DEFAULT =
      new Policy(
          STANDARD,
          Mode.ENFORCE,
          DeviceLimits.of(SharingLimits.DEFAULT),
          Queue.DEFAULT,
          StaleMetrics.HOLD,
          UnknownModels.EXCLUSIVE,
          GpuAssignment.NODE_ONLY,
          OutOfMemory.REPORT,
          Unschedulable.REPORT,
          new ClaimSharing.Unset(),
          Preemption.NOT_STARTED,
          null,
          EngineBudget.ADVISE,
          TrustScope.NAMESPACE,
          Measuring.DEFAULT,
          Filling.DEFAULT);

  /**
   * @throws IllegalArgumentException for a scheduler name that is no DNS-1123 subdomain, or that
   *     the GPU assignment excludes
   */
  public Policy {
    if (schedulerName != null && !DnsSubdomain.matches(schedulerName)) {
      throw new IllegalArgumentException(
          "must be a DNS-1123 subdomain (lower-case letters, digits, '-', '.'), is '"
              + schedulerName
              + "'");
    }
    Optional<String> whyNoScheduler = gpuAssignment.whyNoScheduler();
    if (schedulerName != null && whyNoScheduler.isPresent()) {
      throw new IllegalArgumentException(
          "must be absent with GPU assignment "
              + gpuAssignment.name().toLowerCase(Locale.ROOT)
              + ", where "
              + whyNoScheduler.get()
              + "; is '"
              + schedulerName
              + "'");
    }
  }

  /** Whether memory is written into requests. */
  public boolean fills() {
    return mode == Mode.FILL || mode == Mode.CAP;
  }

  /** How decisions take effect. */
  public enum Mode {
    /** Pods stay unmanaged; gated pods are ungated. */
    OFF,
    /** Pods stay unmanaged; the decisions are counted and listed. */
    SHADOW,
    /** As {@link #SHADOW}, with warnings to the creator of a pod. */
    WARN,
    /** Missing memory is filled into a pod's request; others place it. */
    FILL,
    /** As {@link #FILL}, and stated memory above the bound is lowered to it. */
    CAP,
    /** A scheduling gate is on the pod until it is granted capacity. */
    ENFORCE,
    /**
     * Decides while the pod is being created: it is granted capacity or refused. One replica only,
     * since the ledger is in the process.
     */
    IMMEDIATE
  }

  /** The order of the queue. */
  public enum Ordering {
    /** By priority class, raised with the time spent waiting; then the oldest first. */
    PRIORITY,
    /** The largest request for memory first [ResAware]; then the oldest first. */
    LARGEST_MEMORY_FIRST
  }

  /** What follows the maximum wait. */
  public enum Fallback {
    /** The pod waits for a whole GPU. */
    EXCLUSIVE,
    /** The pod is ungated without a grant; the scheduler places it. */
    UNMANAGED,
    /** The pod waits on. */
    HOLD
  }

  /** The treatment of GPUs whose memory samples are missing or old. */
  public enum StaleMetrics {
    /** No grants there until samples arrive. */
    HOLD,
    /** Grants there count as usage. */
    ALLOW,
    /** Free ones are granted whole. */
    EXCLUSIVE
  }

  /** The treatment of pods with unregistered models. */
  public enum UnknownModels {
    /** They get a whole GPU. */
    EXCLUSIVE,
    /** They stay unmanaged. */
    UNMANAGED,
    /** They are refused when they are created. */
    DENY
  }

  /** How a pod gets onto the GPU that it was granted. */
  public enum GpuAssignment {
    /** By node alone: shares only on nodes with one GPU. */
    NODE_ONLY,
    /** By the annotation that HAMi's scheduler reads. */
    HAMI,
    /** By a claim of dynamic resource allocation that selects the GPU. */
    DRA,
    /** By environment variables; bypasses the device plugin's accounting. */
    VISIBLE_DEVICES;

    /** Why no scheduler that calls the extender can place such pods; empty where one can. */
    public Optional<String> whyNoScheduler() {
      return switch (this) {
        case NODE_ONLY, VISIBLE_DEVICES -> Optional.empty();
        case HAMI -> Optional.of("HAMi's own scheduler binds these pods");
        case DRA -> Optional.of("the claim selects the GPU before the scheduler places the pod");
      };
    }
  }

  /** The reaction to an out-of-memory kill. */
  public enum OutOfMemory {
    /** An Event reports it with the remedies. */
    REPORT,
    /** A pod with a controller is deleted, a few times. */
    RESUBMIT
  }

  /** The reaction to a granted pod that its scheduler refuses. */
  public enum Unschedulable {
    /** An Event and an annotation have the scheduler's message and the remedy. */
    REPORT,
    /** A pod with a controller is deleted, a few times. */
    RESUBMIT
  }

  /**
   * What gives way to a pod of higher priority: the weaker of its own policy and that of the pod
   * that gives way.
   */
  public enum Preemption {
    /** Nothing. */
    NEVER,
    /** Nominations, whose pods no scheduler has bound. */
    NOT_STARTED,
    /** Also granted pods: they are evicted. */
    EVICT
  }

  /** What becomes of the memory that the pod of a server of a language model declares. */
  public enum EngineBudget {
    /** Warnings and Events say which argument would limit the server to it. */
    ADVISE,
    /** The mutating webhook adds the argument, in mode {@link Mode#ENFORCE}. */
    WRITE
  }

  /**
   * The queue of gated pods.
   *
   * @param ordering the order of decisions
   * @param ageing waiting time worth one priority step (see {@link #AGEING_STEP}); positive
   * @param maxSkips grants to later pods after which the GPUs that a pod could use are reserved for
   *     it; at least 0
   * @param maxWait waiting time before {@code fallback}; positive
   * @param fallback what follows
   */
  public record Queue(
      Ordering ordering, Duration ageing, int maxSkips, Duration maxWait, Fallback fallback) {
    /** The increase of a pod's priority with every {@code ageing} of waiting. */
    public static final int AGEING_STEP = 100;

    /** Exclusive after ten minutes; at most twenty skips. */
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

  /** The same with these changes. */
  public Policy with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return copy.policy();
  }

  /** A copy that is changed before it becomes a policy. */
  public static final class Copy {
    private final String name;
    public Mode mode;
    public DeviceLimits limits;
    public Queue queue;
    public StaleMetrics staleMetrics;
    public UnknownModels unknownModels;
    public GpuAssignment gpuAssignment;
    public OutOfMemory outOfMemory;
    public Unschedulable unschedulable;
    public ClaimSharing claimSharing;
    public Preemption preemption;
    public @Nullable String schedulerName;
    public EngineBudget engineBudget;
    public TrustScope trust;
    public Measuring measuring;
    public Filling filling;

    private Copy(Policy of) {
      name = of.name;
      mode = of.mode;
      limits = of.limits;
      queue = of.queue;
      staleMetrics = of.staleMetrics;
      unknownModels = of.unknownModels;
      gpuAssignment = of.gpuAssignment;
      outOfMemory = of.outOfMemory;
      unschedulable = of.unschedulable;
      claimSharing = of.claimSharing;
      preemption = of.preemption;
      schedulerName = of.schedulerName;
      engineBudget = of.engineBudget;
      trust = of.trust;
      measuring = of.measuring;
      filling = of.filling;
    }

    private Policy policy() {
      return new Policy(
          name,
          mode,
          limits,
          queue,
          staleMetrics,
          unknownModels,
          gpuAssignment,
          outOfMemory,
          unschedulable,
          claimSharing,
          preemption,
          schedulerName,
          engineBudget,
          trust,
          measuring,
          filling);
    }
  }
}
