package dev.cotenant.engine.fleet;

import dev.cotenant.serving.FleetReading;
import java.time.Instant;
import java.util.List;

/** Where the rates and latencies of workloads come from. */
interface FleetSource extends AutoCloseable {
  /** Measurements up to an instant. */
  FleetReading read(List<WorkloadQueries> workloads, Instant at);

  @Override
  void close();
}
