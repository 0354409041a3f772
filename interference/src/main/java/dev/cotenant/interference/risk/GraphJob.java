package dev.cotenant.interference.risk;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.workload.RunOptions;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.interference.cold.ColdStart;

/** Job identity by graph, batch and settings, regardless of the measured request rate. */
public final class GraphJob {
  private GraphJob() {}

  /**
   * A job whose graph is known.
   *
   * @param utilizationPercent mean of its utilization alone
   */
  public static SharedJob of(GraphRun run, Device device, double utilizationPercent) {
    double bandwidthPercent =
        ColdStart.bandwidthPercent(run.work(), run.batchSize(), device, utilizationPercent);
    Names names = Names.of(run);
    return new SharedJob(
        names.configuration,
        names.model,
        utilizationPercent / 100,
        Math.clamp(bandwidthPercent / 100, 0, 1));
  }

  /**
   * A job with a known utilization only; similar to no other job.
   *
   * @param name of the job
   */
  public static SharedJob unknown(String name, double utilizationPercent) {
    return SharedJob.ofUtilization(name, name, utilizationPercent);
  }

  private record Names(String model, String configuration) {
    static Names of(GraphRun run) {
      GraphWork work = run.work();
      String model =
          work.flopsPerSample()
              + "/"
              + work.activationBytesPerSample()
              + "/"
              + work.parameterBytes()
              + "/"
              + work.layers();
      RunSettings stated = run.withoutMeasuredLoad().settings();
      return new Names(model, model + " b" + run.batchSize() + " " + RunOptions.texts(stated));
    }
  }
}
