package dev.cotenant.features;

import com.sun.management.ThreadMXBean;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.GraphFeatures;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reads and extracts the hostile models whose names contain the first argument, one after another,
 * and prints what each took. An error ends it with a status other than 0.
 */
public final class HostileGraphRun {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int MEBIBYTES = 20;

  private HostileGraphRun() {}

  /** Run it in a heap of 256 MB. */
  public static void main(String[] arguments) {
    String part = arguments.length == 0 ? "" : arguments[0];
    System.out.printf("%-50s %8s %8s %9s  %s%n", "model", "MB", "ms", "alloc MB", "outcome");
    for (Map.Entry<String, Supplier<byte[]>> each : HostileGraphs.all().entrySet()) {
      if (each.getKey().contains(part)) {
        run(each.getKey(), each.getValue().get());
      }
    }
  }

  private static void run(String name, byte[] content) {
    long start = THREADS.getCurrentThreadCpuTime();
    long allocated = THREADS.getCurrentThreadAllocatedBytes();
    String outcome = outcome(content);
    long took = (THREADS.getCurrentThreadCpuTime() - start) / 1_000_000;
    long bytes = (THREADS.getCurrentThreadAllocatedBytes() - allocated) >> MEBIBYTES;
    System.out.printf(
        "%-50s %8.2f %8d %9d  %s%n", name, content.length / 1e6, took, bytes, outcome);
  }

  private static String outcome(byte[] content) {
    try {
      ModelGraph model = new OnnxGraphReader(ReaderLimits.DEFAULT).read(content, "upload");
      GraphFeatures features = new FeatureExtractor().extract(model, GraphBinding.NONE);
      return features.operators()
          + " operators, coverage "
          + features.shapeCoverage()
          + ", "
          + features.warnings().size()
          + " warnings";
    } catch (InputException refusal) {
      return "refused: " + refusal.code();
    }
  }
}
