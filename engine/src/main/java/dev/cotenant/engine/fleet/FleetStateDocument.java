package dev.cotenant.engine.fleet;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.serving.ControllerState;
import dev.cotenant.serving.ControllerState.ServiceState;
import dev.cotenant.serving.deployment.FleetTarget;
import dev.cotenant.serving.deployment.FleetTarget.Gpu;
import dev.cotenant.serving.deployment.FleetTarget.Replica;
import dev.cotenant.serving.rate.RateMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Stored state of a fleet's loop. */
record FleetStateDocument(
    @JsonProperty("period") long period,
    @JsonProperty("created") long created,
    @JsonProperty("partitions") List<PartitionEntry> partitions,
    @JsonProperty("workloads") List<WorkloadState> workloads) {
  /** A partition of the target. */
  record PartitionEntry(
      @JsonProperty("gpu") String gpu,
      @JsonProperty("device") String device,
      @JsonProperty("id") String id,
      @JsonProperty("workload") String workload,
      @JsonProperty("share_permille") int sharePermille,
      @JsonProperty("batch_size") int batch,
      @JsonProperty("request_rate_per_second") double requestsPerSecond) {}

  /** Observations and plan of a workload. */
  record WorkloadState(
      @JsonProperty("name") String name,
      @JsonProperty("average_per_second") double average,
      @JsonProperty("last_per_second") double last,
      @JsonProperty("excesses") List<Double> excesses,
      @JsonProperty("planned_per_second") double planned,
      @JsonProperty("calm") int calm,
      @JsonProperty("doubtful") int doubtful,
      @JsonProperty("strikes") int strikes,
      @JsonProperty("correction") double correction) {}

  static FleetStateDocument of(ControllerState state) {
    List<PartitionEntry> partitions = new ArrayList<>();
    state
        .target()
        .gpus()
        .forEach((name, gpu) ->
            gpu.replicas()
                .forEach(each ->
                    partitions.add(
                        new PartitionEntry(
                            name,
                            gpu.device(),
                            each.id(),
                            each.service(),
                            each.share().permille(),
                            each.batch(),
                            each.requestsPerSecond()))));
    List<WorkloadState> workloads = new ArrayList<>();
    state
        .services()
        .forEach((name, each) ->
            workloads.add(
                new WorkloadState(
                    name,
                    each.rates().average(),
                    each.rates().last(),
                    each.rates().excesses(),
                    each.plannedPerSecond(),
                    each.calm(),
                    each.doubtful(),
                    each.strikes(),
                    each.correction())));
    return new FleetStateDocument(state.period(), state.target().created(), partitions, workloads);
  }

  ControllerState state() {
    TreeMap<String, Gpu> gpus = new TreeMap<>();
    for (PartitionEntry each : partitions) {
      List<Replica> replicas = new ArrayList<>();
      Gpu known = gpus.get(each.gpu());
      if (known != null) {
        replicas.addAll(known.replicas());
      }
      replicas.add(
          new Replica(
              each.id(),
              each.workload(),
              new Share(each.sharePermille()),
              each.batch(),
              each.requestsPerSecond()));
      gpus.put(each.gpu(), new Gpu(each.device(), replicas));
    }
    TreeMap<String, ServiceState> services = new TreeMap<>();
    for (WorkloadState each : workloads) {
      services.put(
          each.name(),
          new ServiceState(
              new RateMemory(each.average(), each.last(), each.excesses()),
              each.planned(),
              each.calm(),
              each.doubtful(),
              each.strikes(),
              each.correction()));
    }
    return new ControllerState(period, new FleetTarget(gpus, created), services);
  }
}
