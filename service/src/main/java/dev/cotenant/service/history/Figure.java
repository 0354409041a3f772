package dev.cotenant.service.history;

import java.util.Locale;

/** A total over all GPUs of a cluster. */
public enum Figure {
  /** GPUs, in whatever state. */
  GPUS,
  /** With two tenants or more. */
  SHARED_GPUS,
  /** GPUs with one tenant, open to further ones. */
  SINGLE_GPUS,
  /** Granted whole. */
  WHOLE_GPUS,
  /** Split by MIG. */
  MIG_GPUS,
  /** Without grants, used by processes outside Cotenant. */
  FOREIGN_GPUS,
  /** Without grants, not used, on a node that takes pods. */
  FREE_GPUS,
  /** Without grants, not used, on a node that takes no pods: cordoned, or not ready. */
  UNSCHEDULABLE_GPUS,
  /** Without grants and without fresh metrics. */
  UNMEASURED_GPUS,
  /** GPUs closed by the guard. */
  GUARDED_GPUS,
  /** Whose expected memory is beyond the limit. */
  GPUS_BEYOND_MEMORY,
  /** Pods with a share of a GPU. */
  SHARING_PODS,
  /** Pods with a share, less the GPUs that they are on: GPUs that one pod a GPU would take more. */
  SAVED_GPUS,
  /** Their price; absent where no device has a price. */
  SAVED_MONEY_PER_HOUR,
  /** Gated pods. */
  WAITING_PODS,
  /** Largest predicted slowdown of any tenant. */
  WORST_SLOWDOWN,
  /** Pods beside others whose slowdown was measured in the last quarter of an hour. */
  MEASURED_PODS,
  /** Pods that were measured beyond their limits of slowdown or latency. */
  HARMED_PODS,
  /** Mean of the measured slowdowns; absent where none was measured. */
  MEASURED_SLOWDOWN,
  /** The largest of them. */
  WORST_MEASURED_SLOWDOWN,
  /** Usable memory of GPUs with fresh metrics. */
  MEMORY_CAPACITY_BYTES,
  /** Used memory of these. */
  MEMORY_USED_BYTES,
  /** Sum of the expected peaks of all tenants. */
  MEMORY_PREDICTED_BYTES,
  /** Sum of the granted peaks of all tenants, which are upper bounds. */
  MEMORY_GRANTED_BYTES,
  /** Mean over the GPUs where it is measured. */
  UTILIZATION_MEASURED_PERCENT,
  /** Expected utilization of all tenants, a mean over all GPUs. */
  UTILIZATION_PREDICTED_PERCENT,
  /** Granted utilization of all tenants, a mean over all GPUs. */
  UTILIZATION_GRANTED_PERCENT;

  /** Its name in the database and in answers. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
