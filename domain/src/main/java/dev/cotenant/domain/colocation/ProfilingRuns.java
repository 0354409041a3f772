package dev.cotenant.domain.colocation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was measured of a device and of inference workloads on it to find their coefficients in
 * iGniter's model [iGniter, section 3.1].
 *
 * @param source the set and file
 * @param device the device's id in the catalogue
 * @param limits of the device
 * @param crowds the device with one copy of a workload, two copies and so on, in this order
 * @param workloads what was measured of each
 */
public record ProfilingRuns(
    String source, String device, Limits limits, List<Crowd> crowds, List<Workload> workloads) {
  public ProfilingRuns {
    crowds = List.copyOf(crowds);
    workloads = List.copyOf(workloads);
  }

  /**
   * Limits of the device.
   *
   * @param idleWatts power without work
   * @param mostWatts power limit
   * @param mostMegahertz highest frequency
   * @param pcieBytesPerMillisecond to and from the host
   * @param shareUnitPercent the step of shares
   */
  public record Limits(
      double idleWatts,
      double mostWatts,
      double mostMegahertz,
      double pcieBytesPerMillisecond,
      double shareUnitPercent) {}

  /**
   * The device while so many copies run.
   *
   * @param copies at least 1
   * @param watts power
   * @param megahertz frequency
   * @param kernelDelayMillis scheduling delay of one kernel
   */
  public record Crowd(int copies, double watts, double megahertz, double kernelDelayMillis) {}

  /**
   * Measurements of one workload.
   *
   * @param name its name
   * @param kernels of a batch
   * @param inputBytes of one sample
   * @param outputBytes of one sample
   * @param schedulingMillis scheduling delay of a batch alone
   * @param alone runs alone
   * @param beside beside a copy of itself
   */
  public record Workload(
      String name,
      int kernels,
      double inputBytes,
      double outputBytes,
      double schedulingMillis,
      List<Run> alone,
      Beside beside) {
    public Workload {
      alone = List.copyOf(alone);
    }
  }

  /**
   * One run alone.
   *
   * @param batch samples, at least 1
   * @param sharePercent MPS share
   * @param gpuMillis time of a batch on the GPU
   * @param watts power of the device
   * @param megahertz its frequency
   * @param l2Percent L2 utilization, 0 to 100; null where not measured
   */
  public record Run(
      int batch,
      double sharePercent,
      double gpuMillis,
      double watts,
      double megahertz,
      @Nullable Double l2Percent) {}

  /**
   * Beside a copy of itself.
   *
   * @param activeMillisAlone active time alone
   * @param activeMillis active time beside the copy
   * @param megahertz frequency while both ran
   * @param copyL2Percent L2 utilization of the copy alone
   */
  public record Beside(
      double activeMillisAlone, double activeMillis, double megahertz, double copyL2Percent) {
    /** How much longer the active time became, the lower frequency included. */
    public double growth() {
      return activeMillis / activeMillisAlone;
    }
  }
}
