package dev.cotenant.service.configuration;

import static dev.cotenant.service.configuration.Range.between;
import static dev.cotenant.service.configuration.Range.positive;

import dev.cotenant.admission.policy.BadPolicyValueException;
import dev.cotenant.admission.policy.Filling;
import dev.cotenant.admission.policy.GuardRules;
import dev.cotenant.admission.policy.Measuring;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.QueryTemplate;
import dev.cotenant.admission.policy.TrustScope;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns {@code cotenant.policy} and {@code cotenant.policies} into policies. A named policy has the
 * values of the standard one for absent keys, and that one has the program's.
 */
final class PolicyReader {
  private static final int MAX_SKIPS = 1_000_000;
  private static final Policy BASE = Policy.DEFAULT.with(copy -> copy.mode = Policy.Mode.IMMEDIATE);
  private final CotenantConfiguration configuration;

  PolicyReader(CotenantConfiguration configuration) {
    this.configuration = configuration;
  }

  Policies read() {
    Policy standard = policy(Policy.STANDARD, "policy", configuration.policy(), BASE);
    Map<String, Policy> byNamespace = new HashMap<>();
    new TreeMap<>(configuration.policies())
        .forEach((name, policy) -> put(byNamespace, named(name, policy, standard), policy));
    try {
      return new Policies(standard, byNamespace);
    } catch (IllegalArgumentException e) {
      throw Range.bad("policies", "must fit cotenant.policy.mode: " + e.getMessage());
    }
  }

  private static void put(
      Map<String, Policy> byNamespace, Policy policy, PolicyConfiguration.Named of) {
    String key = "policies." + policy.name() + ".namespaces";
    for (String namespace : of.namespaces()) {
      Policy other = byNamespace.put(namespace, policy);
      if (other != null) {
        throw Range.bad(
            key, "must not name '" + namespace + "', which policy " + other.name() + " names too");
      }
    }
  }

  private static Policy named(String name, PolicyConfiguration.Named policy, Policy standard) {
    String key = "policies." + name;
    if (name.equals(Policy.STANDARD)) {
      throw Range.bad(key, "must have another name: cotenant.policy is the default policy");
    }
    if (policy.namespaces().isEmpty()) {
      throw Range.bad(key + ".namespaces", "must name a namespace");
    }
    return policy(name, key, policy, standard);
  }

  private static Policy policy(String name, String key, PolicyConfiguration policy, Policy base) {
    Policy.GpuAssignment gpuAssignment = policy.gpuAssignment().orElse(base.gpuAssignment());
    Policy placedByTheGate =
        new Policy(
            name,
            policy.mode().orElse(base.mode()),
            limits(key, policy, base.limits()),
            queue(key, policy, base.queue()),
            policy.staleMetrics().orElse(base.staleMetrics()),
            policy.unknownModels().orElse(base.unknownModels()),
            gpuAssignment,
            policy.outOfMemory().orElse(base.outOfMemory()),
            policy.unschedulable().orElse(base.unschedulable()),
            ClaimsConfiguration.read(key + ".claims", policy.claims(), base.claimSharing()),
            policy.preemption().orElse(base.preemption()),
            null,
            policy.engineBudget().orElse(base.engineBudget()),
            trust(key, policy, base),
            measuring(key, policy, base.measuring()),
            filling(key, policy, base.filling()));
    try {
      return placedByTheGate.with(
          copy -> copy.schedulerName = schedulerName(policy, gpuAssignment, base));
    } catch (IllegalArgumentException e) {
      throw Range.bad(key + ".scheduler-name", Objects.requireNonNull(e.getMessage()));
    }
  }

  private static TrustScope trust(String key, PolicyConfiguration policy, Policy base) {
    try {
      return policy.trustDomain().map(TrustScope::new).orElse(base.trust());
    } catch (IllegalArgumentException e) {
      throw Range.bad(key + ".trust-domain", Objects.requireNonNull(e.getMessage()));
    }
  }

  private static Measuring measuring(String key, PolicyConfiguration policy, Measuring base) {
    @Nullable QueryTemplate speedQuery = speedQuery(key, policy, base.speedQuery());
    return checked(
        key,
        () ->
            new Measuring(
                policy.profiling().orElse(base.profiling()),
                policy.profileTime().orElse(base.profileTime()),
                new GuardRules(
                    policy.guard().orElse(base.guard().mode()),
                    policy.guardTime().orElse(base.guard().time()),
                    policy.guardEvictionsPerHour().orElse(base.guard().evictionsPerHour())),
                speedQuery));
  }

  private static @Nullable QueryTemplate speedQuery(
      String key, PolicyConfiguration policy, @Nullable QueryTemplate base) {
    try {
      return policy.speedQuery().map(QueryTemplate::new).orElse(base);
    } catch (IllegalArgumentException e) {
      throw Range.bad(key + ".speed-query", Objects.requireNonNull(e.getMessage()));
    }
  }

  private static Filling filling(String key, PolicyConfiguration policy, Filling base) {
    return checked(
        key,
        () ->
            new Filling(
                policy.fillTarget().orElse(base.target()),
                policy.fillKillsPerWeek().orElse(base.killsPerWeek()),
                policy.fillScope().orElse(base.scope())));
  }

  private static <T> T checked(String key, Supplier<T> part) {
    try {
      return part.get();
    } catch (BadPolicyValueException e) {
      throw Range.bad(key + "." + e.key(), e.rule());
    }
  }

  /** Inherited only where the GPU assignment of this policy lets a scheduler place its pods. */
  private static @Nullable String schedulerName(
      PolicyConfiguration policy, Policy.GpuAssignment gpuAssignment, Policy base) {
    return policy
        .schedulerName()
        .orElse(gpuAssignment.whyNoScheduler().isEmpty() ? base.schedulerName() : null);
  }

  private static Policy.Queue queue(String key, PolicyConfiguration policy, Policy.Queue base) {
    return new Policy.Queue(
        policy.ordering().orElse(base.ordering()),
        positive(key + ".ageing", policy.ageing().orElse(base.ageing())),
        between(key + ".max-skips", policy.maxSkips(), 0, MAX_SKIPS).orElse(base.maxSkips()),
        positive(key + ".max-wait", policy.maxWait().orElse(base.maxWait())),
        policy.fallback().orElse(base.fallback()));
  }

  /** Exceptions of the base hold here too, with the values that this policy sets. */
  private static DeviceLimits limits(String key, PolicyConfiguration policy, DeviceLimits base) {
    String limits = key + ".limits";
    SharingLimits everywhere = LimitsConfiguration.read(limits, policy.limits(), base.standard());
    Map<DeviceId, SharingLimits> exceptions = new TreeMap<>();
    base.exceptions()
        .forEach((device, of) ->
            exceptions.put(device, LimitsConfiguration.read(limits, policy.limits(), of)));
    String devices = key + ".devices";
    policy
        .devices()
        .forEach((id, of) ->
            exceptions.put(
                device(devices, id), LimitsConfiguration.read(devices + "." + id, of, everywhere)));
    return new DeviceLimits(everywhere, exceptions);
  }

  private static DeviceId device(String key, String id) {
    try {
      return new DeviceId(id);
    } catch (IllegalArgumentException e) {
      throw Range.bad(key, "must be followed by a device id, not by '" + id + "'");
    }
  }
}
