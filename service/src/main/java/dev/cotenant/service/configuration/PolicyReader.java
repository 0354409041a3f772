package dev.cotenant.service.configuration;

import static dev.cotenant.service.configuration.Range.between;
import static dev.cotenant.service.configuration.Range.choice;
import static dev.cotenant.service.configuration.Range.positive;

import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Fallback;
import dev.cotenant.admission.policy.Policy.Mode;
import dev.cotenant.admission.policy.Policy.Ordering;
import dev.cotenant.admission.policy.Policy.OutOfMemory;
import dev.cotenant.admission.policy.Policy.StaleMetrics;
import dev.cotenant.admission.policy.Policy.Targeting;
import dev.cotenant.admission.policy.Policy.UnknownModels;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Turns {@code cotenant.policy} and {@code cotenant.policies} into policies. A named policy is the
 * standard one but for what it says itself.
 */
final class PolicyReader {
  private static final String STANDARD = "policy";
  private static final int MAX_SKIPS = 1_000_000;

  private final CotenantConfiguration configuration;

  PolicyReader(CotenantConfiguration configuration) {
    this.configuration = configuration;
  }

  Policies read() {
    Policy standard = standard(configuration.policy());
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
      Map<String, Policy> byNamespace, Policy policy, OtherPolicyConfiguration of) {
    String key = "policies." + policy.name() + ".namespaces";
    for (String namespace : of.namespaces()) {
      Policy other = byNamespace.put(namespace, policy);
      if (other != null) {
        throw Range.bad(
            key, "must not name '" + namespace + "', which policy " + other.name() + " names too");
      }
    }
  }

  private static Policy standard(PolicyConfiguration policy) {
    SharingLimits limits = LimitsReader.read(STANDARD + ".limits", policy.limits());
    return new Policy(
        Policy.STANDARD,
        choice("policy.mode", policy.mode(), Mode.class),
        LimitsReader.read(STANDARD + ".devices", limits, policy.devices()),
        new Policy.Queue(
            choice("policy.ordering", policy.ordering(), Ordering.class),
            positive("policy.ageing", policy.ageing()),
            skips("policy", policy.maxSkips()),
            positive("policy.max-wait", policy.maxWait()),
            choice("policy.fallback", policy.fallback(), Fallback.class)),
        choice("policy.stale-metrics", policy.staleMetrics(), StaleMetrics.class),
        choice("policy.unknown-models", policy.unknownModels(), UnknownModels.class),
        choice("policy.targeting", policy.targeting(), Targeting.class),
        choice("policy.out-of-memory", policy.outOfMemory(), OutOfMemory.class));
  }

  private static Policy named(String name, OtherPolicyConfiguration policy, Policy standard) {
    String key = "policies." + name;
    if (name.equals(Policy.STANDARD)) {
      throw Range.bad(key, "must have another name: that is what cotenant.policy is called");
    }
    if (policy.namespaces().isEmpty()) {
      throw Range.bad(key + ".namespaces", "must name a namespace");
    }
    return new Policy(
        name,
        choiceOr(key + ".mode", policy.mode(), standard.mode()),
        limits(key, policy, standard.limits()),
        queue(key, policy, standard.queue()),
        choiceOr(key + ".stale-metrics", policy.staleMetrics(), standard.staleMetrics()),
        choiceOr(key + ".unknown-models", policy.unknownModels(), standard.unknownModels()),
        choiceOr(key + ".targeting", policy.targeting(), standard.targeting()),
        choiceOr(key + ".out-of-memory", policy.outOfMemory(), standard.outOfMemory()));
  }

  private static Policy.Queue queue(
      String key, OtherPolicyConfiguration policy, Policy.Queue standard) {
    return new Policy.Queue(
        choiceOr(key + ".ordering", policy.ordering(), standard.ordering()),
        positive(key + ".ageing", policy.ageing().orElse(standard.ageing())),
        skips(key, policy.maxSkips().orElse(standard.maxSkips())),
        positive(key + ".max-wait", policy.maxWait().orElse(standard.maxWait())),
        choiceOr(key + ".fallback", policy.fallback(), standard.fallback()));
  }

  /** The standard policy's exceptions hold here too, but for what this policy says of them. */
  private static DeviceLimits limits(
      String key, OtherPolicyConfiguration policy, DeviceLimits standard) {
    SharingLimits everywhere =
        LimitsReader.read(key + ".limits", policy.limits(), standard.standard());
    Map<DeviceId, SharingLimits> exceptions = new TreeMap<>();
    standard
        .exceptions()
        .forEach((device, limits) ->
            exceptions.put(device, LimitsReader.read(key + ".limits", policy.limits(), limits)));
    exceptions.putAll(
        LimitsReader.read(key + ".devices", everywhere, policy.devices()).exceptions());
    return new DeviceLimits(everywhere, exceptions);
  }

  private static int skips(String key, int skips) {
    return (int) between(key + ".max-skips", skips, 0, MAX_SKIPS);
  }

  private static <E extends Enum<E>> E choiceOr(String key, Optional<String> text, E otherwise) {
    return text.map(word -> Range.choice(key, word, otherwise.getDeclaringClass()))
        .orElse(otherwise);
  }
}
