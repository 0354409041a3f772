package dev.cotenant.admission.pod;

import java.util.List;

/** The names of annotations, labels and gates between pods and Cotenant. */
public final class CotenantAnnotations {
  /** Prefix of every name here. */
  public static final String PREFIX = "cotenant.dev/";

  /** Label: {@code disabled} opts a pod out. */
  public static final String COLOCATION_LABEL = PREFIX + "colocation";

  /** Name of the scheduling gate that holds a pod. */
  public static final String GATE = PREFIX + "colocation";

  public static final String MODEL = PREFIX + "model";

  /** Version of the engine that runs a language model, in place of its image's tag. */
  public static final String ENGINE_VERSION = PREFIX + "engine-version";

  /** Tokens of a request's prompt to a language model, in the mean. */
  public static final String PROMPT_TOKENS = PREFIX + "prompt-tokens";

  /** Tokens of the answer of a language model, in the mean. */
  public static final String GENERATED_TOKENS = PREFIX + "generated-tokens";

  public static final String BATCH_SIZE = PREFIX + "batch-size";
  public static final String MODE = PREFIX + "mode";
  public static final String GPU_MEMORY = PREFIX + "gpu-memory";
  public static final String SLO_LATENCY = PREFIX + "slo-latency";
  public static final String REQUEST_RATE = PREFIX + "request-rate";
  public static final String PRECISION = PREFIX + "precision";
  public static final String FRAMEWORK = PREFIX + "framework";
  public static final String OPTIMIZER = PREFIX + "optimizer";
  public static final String CHECKPOINTING = PREFIX + "checkpointing";

  /** Share of each training step that the GPU waits for input, in percent. */
  public static final String INPUT_BOUND = PREFIX + "input-bound-percent";

  /** The utilization in percent that slow input of training allows at most. */
  public static final String UTILIZATION_LIMIT = PREFIX + "utilization-limit-percent";

  public static final String MAX_SLOWDOWN = PREFIX + "max-slowdown";

  /** Largest risk in percent of being slowed beyond the limit. */
  public static final String RISK_BUDGET = PREFIX + "risk-budget-percent";

  /** Metric of the pod's speed; see {@link MetricQuery}. */
  public static final String SPEED_METRIC = PREFIX + "speed-metric";

  /** Metric of the pod's latency; see {@link MetricQuery}. */
  public static final String LATENCY_METRIC = PREFIX + "latency-metric";

  /** Metric of the requests that the pod serves; see {@link MetricQuery}. */
  public static final String RATE_METRIC = PREFIX + "rate-metric";

  /** Whether the guard may evict the pod: {@code evict} or {@code stay}. */
  public static final String ON_SLOWDOWN = PREFIX + "on-slowdown";

  /** How long the pod is expected to stay from its start on: {@code 8h}. */
  public static final String EXPECTED_STAY = PREFIX + "expected-stay";

  /** Name of the ResourceClaim that is created for the pod with its grant. */
  public static final String RESOURCE_CLAIM = PREFIX + "resource-claim";

  /**
   * Whether missing memory is filled in: {@code never}, or the dialect that replaces whole GPUs.
   */
  public static final String FILL = PREFIX + "fill";

  /** The filled and the replaced values, with the reason; written by the webhook. */
  public static final String FILLED = PREFIX + "filled";

  /** Ties a pod to its admission; made by the webhook. */
  public static final String ADMISSION_ID = PREFIX + "admission-id";

  /** Its request, in one form for every dialect; see {@link NormalisedRequest}. */
  public static final String REQUEST = PREFIX + "request";

  /** Upper bound of predicted utilization in percent, rounded up to a tenth: {@code 71.3}. */
  public static final String PREDICTED_UTILIZATION = PREFIX + "predicted-utilization";

  /** Mean of predicted utilization in percent, rounded down to a tenth. */
  public static final String PREDICTED_UTILIZATION_MEAN = PREFIX + "predicted-utilization-mean";

  /** Upper bound of predicted peak memory, rounded up to a MiB: {@code 7423Mi}. */
  public static final String PREDICTED_MEMORY = PREFIX + "predicted-memory";

  /** The slowdown that the pod's latency objective stands, rounded down: {@code 1.084}. */
  public static final String OBJECTIVE_SLOWDOWN = PREFIX + "objective-slowdown";

  /** The budget of risk of a share at its grant, and when it binds: {@code 10% learned}. */
  public static final String GRANTED_RISK = PREFIX + "granted-risk";

  /** How long the pod was expected to stay at its grant: {@code 28800s}. */
  public static final String GRANTED_STAY = PREFIX + "granted-stay";

  /** The argument that limits a server of a language model to the memory that it declares. */
  public static final String ENGINE_BUDGET = PREFIX + "engine-budget";

  /** The measured rate in requests per second that counts for the pod, which states none. */
  public static final String MEASURED_RATE = PREFIX + "measured-rate";

  public static final String ASSIGNED_NODE = PREFIX + "assigned-node";

  /** The uuid of the GPU; several are separated by commas. */
  public static final String ASSIGNED_GPU = PREFIX + "assigned-gpu";

  public static final String MPS_ACTIVE_THREAD_PERCENTAGE = PREFIX + "mps-active-thread-percentage";
  public static final String DECISION = PREFIX + "decision";

  /** The most useful reason of a decision in full, for people. */
  public static final String REASON = PREFIX + "reason";

  /** Codes of all reasons why a held pod is not granted, sorted, separated by commas. */
  public static final String REASON_CODES = PREFIX + "reason-codes";

  /** Why the scheduler refuses the granted node, and the remedy; for people. */
  public static final String UNSCHEDULABLE = PREFIX + "unschedulable";

  /** When capacity was granted, ISO 8601. */
  public static final String GRANTED_AT = PREFIX + "granted-at";

  /** How long the pod is measured alone from its start on: {@code 300s}. */
  public static final String PROFILE_TIME = PREFIX + "profile-time";

  /** What came of that: {@code measured} or {@code unmeasured}. */
  public static final String PROFILED = PREFIX + "profiled";

  /** The leader's term that fenced the pod last. */
  public static final String TERM = PREFIX + "term";

  /** Annotations that Cotenant reads. */
  public static final List<String> READ =
      List.of(
          MODEL,
          ENGINE_VERSION,
          PROMPT_TOKENS,
          GENERATED_TOKENS,
          BATCH_SIZE,
          MODE,
          GPU_MEMORY,
          SLO_LATENCY,
          REQUEST_RATE,
          PRECISION,
          FRAMEWORK,
          OPTIMIZER,
          CHECKPOINTING,
          INPUT_BOUND,
          UTILIZATION_LIMIT,
          MAX_SLOWDOWN,
          RISK_BUDGET,
          SPEED_METRIC,
          LATENCY_METRIC,
          RATE_METRIC,
          ON_SLOWDOWN,
          EXPECTED_STAY,
          RESOURCE_CLAIM,
          FILL);

  /** Annotations that only Cotenant may write. */
  public static final List<String> WRITTEN =
      List.of(
          ADMISSION_ID,
          REQUEST,
          PREDICTED_UTILIZATION,
          PREDICTED_UTILIZATION_MEAN,
          PREDICTED_MEMORY,
          OBJECTIVE_SLOWDOWN,
          GRANTED_RISK,
          GRANTED_STAY,
          MEASURED_RATE,
          ASSIGNED_NODE,
          ASSIGNED_GPU,
          MPS_ACTIVE_THREAD_PERCENTAGE,
          ENGINE_BUDGET,
          FILLED,
          DECISION,
          REASON,
          REASON_CODES,
          GRANTED_AT,
          PROFILE_TIME,
          PROFILED,
          TERM,
          UNSCHEDULABLE);

  /** Those of {@link #WRITTEN} that the mutating webhook writes, before the decision. */
  public static final List<String> WRITTEN_FIRST =
      List.of(ADMISSION_ID, REQUEST, MPS_ACTIVE_THREAD_PERCENTAGE, ENGINE_BUDGET, FILLED);

  private CotenantAnnotations() {}
}
