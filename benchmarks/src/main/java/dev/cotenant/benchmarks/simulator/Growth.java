package dev.cotenant.benchmarks.simulator;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.Nanoseconds;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** The cluster of both measurements of growth, and their clock. */
final class Growth {
  static final int GPUS = 1_000;
  static final int CONFIGURATIONS = 60;
  static final double MEAN_SECONDS = 3_000;
  static final double LOAD = 0.95;
  static final Device DEVICE = DeviceCatalogue.builtIn().require("v100-32gb");

  private static final int[] SIZES = {10_000, 100_000, 1_000_000};
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private Growth() {}

  /** Sizes from the arguments; by default up to a million jobs. */
  static int[] sizes(String[] arguments) {
    int[] sizes = new int[arguments.length];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = Integer.parseInt(arguments[i]);
    }
    return sizes.length == 0 ? SIZES.clone() : sizes;
  }

  /** Processor time of this thread in seconds. */
  static double processorSeconds() {
    return THREADS.getCurrentThreadCpuTime() / Nanoseconds.PER_SECOND;
  }
}
