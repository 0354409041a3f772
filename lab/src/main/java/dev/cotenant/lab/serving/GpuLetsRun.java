package dev.cotenant.lab.serving;

import dev.cotenant.datasets.named.ZooGraphs;
import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.lab.gpulets.GletServer;
import dev.cotenant.lab.gpulets.ShareInterpretation;
import dev.cotenant.lab.requests.Replanning;
import dev.cotenant.lab.requests.RequestStream;
import dev.cotenant.lab.requests.ServingPolicy;
import dev.cotenant.lab.requests.ServingSettings;
import dev.cotenant.lab.requests.ServingSettings.Batching;
import dev.cotenant.lab.requests.ServingSettings.Control;
import dev.cotenant.lab.requests.ServingSettings.Traffic;
import dev.cotenant.lab.requests.ServingSimulation;
import dev.cotenant.lab.requests.ServingTotals;
import dev.cotenant.placement.fleet.Arrivals;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Runs requests on the server of the gpu-lets paper: rates planned every 20 s, reorganisations of
 * 10 to 15 s in the background [gpu-lets, section 5].
 *
 * <p>The paper does not print the weight of its moving average. In its authors' code
 * (casys-kaist/glet, EWMA.cpp and monitor_thread.cpp) requests are counted every 500 ms, and the
 * weight is 2/(N + 1) for the N = 40 counts of a period.
 *
 * @param server what plans and serves
 * @param arrivals how requests come
 * @param factorError deviation of the logarithm of the interference factor's error
 */
record GpuLetsRun(GletServer server, Arrivals arrivals, double factorError) {
  private static final Control CONTROL =
      new Control(
          Duration.ofMillis(500),
          2.0 / 41,
          Duration.ofSeconds(20),
          Duration.ofSeconds(10),
          Duration.ofSeconds(15));

  /**
   * The server of the paper with profiles of our own, Poisson arrivals and the published error.
   *
   * @param interpretation with measured effects of shares
   */
  static GpuLetsRun of(List<UtilizationCell> cells, ShareInterpretation interpretation) {
    Device device = DeviceCatalogue.builtIn().require("rtx-2080ti");
    GletServer server = new GletServer(ZooGraphs.ofGpuLets(), cells, device, interpretation);
    return new GpuLetsRun(server, Arrivals.POISSON, GletServer.FACTOR_ERROR);
  }

  /** The same with requests at equal intervals. */
  GpuLetsRun evenly() {
    return new GpuLetsRun(server, Arrivals.CONSTANT, factorError);
  }

  /** The same with an interference factor that is always right. */
  GpuLetsRun exactly() {
    return new GpuLetsRun(server, arrivals, 0);
  }

  /** Streams for a time on the partitions of a policy. */
  ServingTotals of(List<RequestStream> streams, ServingPolicy policy, Duration time, long seed) {
    ServingSettings settings =
        new ServingSettings(
            Map.of(server.device(), GletServer.GPUS),
            server.durations(factorError, seed),
            Batching.WHAT_WAITS,
            CONTROL,
            new Traffic(arrivals, time, seed));
    return ServingSimulation.run(settings, streams, policy);
  }

  /** Plans again in each period by a strategy. */
  ServingPolicy replanning(String strategy, Replanning.Targets targets) {
    return new Replanning(rates -> server.plan(strategy, rates, Map.of()), targets);
  }
}
