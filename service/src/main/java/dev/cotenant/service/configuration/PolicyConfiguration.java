package dev.cotenant.service.configuration;

import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.policy.Filling;
import dev.cotenant.admission.policy.GuardRules;
import dev.cotenant.admission.policy.Measuring;
import dev.cotenant.admission.policy.Policy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Policy of a group of namespaces; absent keys inherit from the policy below it. */
public interface PolicyConfiguration {
  /** Reach of decisions. */
  Optional<Policy.Mode> mode();

  /** Treatment of pods whose model is not registered. */
  Optional<Policy.UnknownModels> unknownModels();

  /** Method by which a pod gets onto its GPU. */
  Optional<Policy.GpuAssignment> gpuAssignment();

  /** Treatment of GPUs without a fresh memory sample. */
  Optional<Policy.StaleMetrics> staleMetrics();

  /** Queue order of gated pods. */
  Optional<Policy.Ordering> ordering();

  /** Waiting time that raises a gated pod's priority. */
  Optional<Duration> ageing();

  /** Number of times that later pods may skip a held one. */
  OptionalInt maxSkips();

  /** Maximum wait of a gated pod. */
  Optional<Duration> maxWait();

  /** Treatment of the pod afterwards. */
  Optional<Policy.Fallback> fallback();

  /** Treatment of a pod that ran out of memory. */
  Optional<Policy.OutOfMemory> outOfMemory();

  /** Treatment of a granted pod that its scheduler refuses. */
  Optional<Policy.Unschedulable> unschedulable();

  /** What gives way to pods of higher priority. */
  Optional<Policy.Preemption> preemption();

  /** Scheduler that calls the extender and places the pods. */
  Optional<String> schedulerName();

  /** Memory that the pod of a server of a language model declares. */
  Optional<Policy.EngineBudget> engineBudget();

  /** Namespaces whose pods share GPUs. */
  Optional<String> trustDomain();

  /** Which trainings are measured alone before they share. */
  Optional<Measuring.Profiling> profiling();

  /** Time for which they are. */
  Optional<Duration> profileTime();

  /** PromQL of the speed of pods that name no metric. */
  Optional<String> speedQuery();

  /** What follows when a pod was measured beyond its limit. */
  Optional<GuardRules.Mode> guard();

  /** Minimum duration of the exceeded limit. */
  Optional<Duration> guardTime();

  /** Most pods of a namespace that are evicted for it within an hour. */
  OptionalInt guardEvictionsPerHour();

  /** Dialect into which requests for whole GPUs are turned. */
  Optional<GpuDialect> fillTarget();

  /** Most pods of a namespace that may run out of filled memory within a week. */
  OptionalInt fillKillsPerWeek();

  /** Whether templates are filled as well. */
  Optional<Filling.Scope> fillScope();

  /** ResourceClaims that Cotenant creates. */
  ClaimsConfiguration claims();

  /** Limits of sharing. */
  LimitsConfiguration limits();

  /** Differing limits on GPUs of one product, by device id. */
  Map<String, LimitsConfiguration> devices();

  /** A policy of some namespaces. */
  interface Named extends PolicyConfiguration {
    /** Its namespaces. */
    List<String> namespaces();
  }
}
