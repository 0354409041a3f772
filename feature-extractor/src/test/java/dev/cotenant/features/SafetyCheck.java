package dev.cotenant.features;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.features.graph.ValueDeclaration;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What holds of any bytes: only {@link InputException} comes out, in bounded processor time, and
 * what is found is sane and the same every time. Memory is bounded by the heap of the process that
 * asks.
 */
final class SafetyCheck {
  /** Processor time that one input of up to 16 MB may take. */
  static final Duration LIMIT = Duration.ofSeconds(2);

  /** A hundred of the graph, how many more there were, and that no input has a batch axis. */
  private static final int MAX_WARNINGS = 102;

  private static final String NAME = "upload";
  private static final int DRAWN_BYTES = 8;
  private static final OnnxGraphReader READER = new OnnxGraphReader(ReaderLimits.DEFAULT);
  private static final FeatureExtractor EXTRACTOR = new FeatureExtractor();
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private SafetyCheck() {}

  /** Reads; true when the bytes are a model. */
  static boolean read(byte[] content) {
    return within(() -> readOrRefuse(content) != null);
  }

  /** Reads and extracts at the declared shapes; true when the bytes are a model. */
  static boolean extract(byte[] content) {
    return within(() -> extracts(content, new byte[0]));
  }

  /**
   * Reads and extracts at a batch and at extents of symbolic dimensions that the last bytes say;
   * true when the others are a model.
   */
  static boolean extractAsDrawn(byte[] content) {
    int drawn = Math.min(DRAWN_BYTES, content.length);
    byte[] model = Arrays.copyOf(content, content.length - drawn);
    byte[] draw = Arrays.copyOfRange(content, model.length, content.length);
    return within(() -> extracts(model, draw));
  }

  private static boolean extracts(byte[] content, byte[] draw) {
    ModelGraph model = readOrRefuse(content);
    if (model == null) {
      return false;
    }
    GraphBinding binding = binding(model, draw);
    GraphFeatures features = EXTRACTOR.extract(model, binding);
    requireSane(features);
    return true;
  }

  /** Two numbers of four bytes: the batch, none when below 1, and the extents. */
  private static GraphBinding binding(ModelGraph model, byte[] draw) {
    if (draw.length < DRAWN_BYTES) {
      return GraphBinding.NONE;
    }
    ByteBuffer numbers = ByteBuffer.wrap(draw);
    int batch = numbers.getInt();
    int extent = numbers.getInt();
    Map<String, Integer> dimensions = new HashMap<>();
    for (ValueDeclaration input : model.graph().inputs()) {
      List<ValueDeclaration.Dimension> declared = input.dimensions();
      for (int i = 0; declared != null && extent > 0 && i < declared.size(); i++) {
        String symbol = declared.get(i).symbol();
        String name = input.value() < 0 ? "" : model.graph().valueName(input.value());
        dimensions.put(symbol.isEmpty() ? name + "." + i : symbol, extent);
      }
    }
    return new GraphBinding(batch < 1 ? null : batch, dimensions);
  }

  private static ModelGraph readOrRefuse(byte[] content) {
    try {
      return READER.read(content, NAME);
    } catch (InputException refusal) {
      String message = refusal.getMessage();
      require(message.startsWith(NAME), "names no file: " + message);
      require(message.indexOf('\n') < 0 && message.length() < 1000, "not one line: " + message);
      return null;
    }
  }

  private static void requireSane(GraphFeatures features) {
    double coverage = features.shapeCoverage();
    require(coverage >= 0 && coverage <= 1, "coverage " + coverage);
    require(features.model().multiplyAccumulates() >= 0, "negative multiply-accumulates");
    require(features.model().parameters() >= 0, "negative parameters");
    require(features.peakActivations().bytes() >= 0, "negative peak");
    require(features.warnings().size() <= MAX_WARNINGS, features.warnings().size() + " warnings");
    for (String warning : features.warnings()) {
      require(warning.length() <= 501 && warning.indexOf('\n') < 0, "warning " + warning);
    }
  }

  private static boolean within(java.util.function.BooleanSupplier check) {
    long start = THREADS.getCurrentThreadCpuTime();
    boolean result = check.getAsBoolean();
    Duration taken = Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - start);
    require(taken.compareTo(LIMIT) <= 0, "took " + taken.toMillis() + " ms of processor time");
    return result;
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
