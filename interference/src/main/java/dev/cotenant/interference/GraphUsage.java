package dev.cotenant.interference;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.interference.cold.ColdStart;

/**
 * What a job uses of a device alone, as far as its graph says.
 *
 * @param utilizationPercent time any kernel runs, as predicted, 0 to 100
 * @param bandwidthPercent time memory is read or written, as guessed from the graph, 0 to 100
 */
public record GraphUsage(double utilizationPercent, double bandwidthPercent) {
  /** With the roofline's guess of bandwidth. */
  public static GraphUsage of(GraphRun run, Device device, double utilizationPercent) {
    return new GraphUsage(
        utilizationPercent,
        ColdStart.bandwidthPercent(run.work(), run.batchSize(), device, utilizationPercent));
  }
}
