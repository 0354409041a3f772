package dev.cotenant.datasets;

import dev.cotenant.datasets.cluster.ClusterTrace;
import dev.cotenant.datasets.named.PairedJobs;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.quantity.Utilization;
import java.util.Map;

/** A recording that decisions are replayed on. */
public sealed interface Trace {
  /**
   * Training jobs that were measured alone and in pairs.
   *
   * @param format the importer's
   * @param rows the measurements
   * @param graphs the jobs' graphs
   */
  record Pairs(String format, ColocationRows rows, PairedJobs graphs) implements Trace {}

  /**
   * Used-memory series of pods.
   *
   * @param utilization means by the names of series; empty where it was not recorded
   * @param devices their names by the names of series; empty where the set does not state them
   */
  record Series(
      SeriesSource.Result recorded,
      Map<String, Utilization> utilization,
      Map<String, String> devices)
      implements Trace {
    public Series {
      utilization = Map.copyOf(utilization);
      devices = Map.copyOf(devices);
    }
  }

  /** Pods and nodes of a cluster. */
  record Cluster(ClusterTrace cluster) implements Trace {}
}
