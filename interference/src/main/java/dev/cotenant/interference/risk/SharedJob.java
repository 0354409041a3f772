package dev.cotenant.interference.risk;

/**
 * A training job as the risk model sees it. Its identity has two levels: jobs of one configuration
 * behave alike, configurations of one model resemble each other.
 *
 * @param configuration model, batch, precision, image and all else in which runs differ
 * @param model name of the model; the configuration itself where it is unknown
 * @param utilization share of time with a kernel running when alone, 0 to 1
 * @param bandwidth share of time with device memory read or written when alone, measured or
 *     estimated from the graph, 0 to 1
 */
public record SharedJob(String configuration, String model, double utilization, double bandwidth) {
  public SharedJob {
    requireShare("utilization", utilization);
    requireShare("bandwidth", bandwidth);
  }

  /** A job with a known utilization only. */
  public static SharedJob ofUtilization(String configuration, String model, double percent) {
    return new SharedJob(configuration, model, percent / 100, percent / 200);
  }

  private static void requireShare(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(name + " is " + value + ", outside 0 to 1");
    }
  }
}
