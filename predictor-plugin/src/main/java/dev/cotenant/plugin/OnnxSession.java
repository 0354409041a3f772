package dev.cotenant.plugin;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.SessionOptions;
import ai.onnxruntime.TensorInfo;
import dev.cotenant.domain.InputException;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** A graph of one row in, one number out for each named output. Thread safe, one thread a call. */
final class OnnxSession implements AutoCloseable {
  /** Its messages may hold a whole C++ signature. */
  private static final int MAX_MESSAGE = 200;

  /** The first run also allocates. */
  private static final Duration FIRST_DEADLINE = Duration.ofSeconds(1);

  private static final Cleaner CLEANER = Cleaner.create();

  /** Ends runs at their deadline. */
  private static final ScheduledExecutorService WATCH =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("regressor-deadline").factory());

  private final OrtEnvironment environment;
  private final OrtSession session;
  private final String name;
  private final String input;
  private final boolean isDouble;
  private final Cleaner.Cleanable closing;
  private volatile Duration limit = FIRST_DEADLINE;

  private OnnxSession(OrtEnvironment environment, OrtSession session, String name, int columns)
      throws OrtException {
    this.environment = environment;
    this.session = session;
    this.name = name;
    Map<String, NodeInfo> inputs = session.getInputInfo();
    if (inputs.size() != 1) {
      throw unsuitable("must have one input, has " + inputs.size());
    }
    NodeInfo only = inputs.values().iterator().next();
    input = only.getName();
    isDouble = requireInput(only, columns) == OnnxJavaType.DOUBLE;
    closing = CLEANER.register(this, () -> close(session, name));
  }

  /**
   * A session on a model that {@link GraphGuard} let pass.
   *
   * @param name name of the file in messages
   * @param columns of its one input
   * @throws InputException ({@code not-onnx}, {@code regressor-unsuitable}, {@code
   *     no-onnx-runtime})
   */
  static OnnxSession open(byte[] model, String name, int columns) {
    try {
      OrtEnvironment environment =
          OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL);
      try (SessionOptions options = options()) {
        return guarded(environment, environment.createSession(model, options), name, columns);
      }
    } catch (OrtException e) {
      throw failed(name, "cannot be loaded", e);
    } catch (LinkageError e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND,
          "no-onnx-runtime",
          name + ": ONNX Runtime's native library does not load on this machine: " + e + ".",
          e);
    }
  }

  private static OnnxSession guarded(
      OrtEnvironment environment, OrtSession session, String name, int columns)
      throws OrtException {
    OnnxSession opened = null;
    try {
      opened = new OnnxSession(environment, session, name, columns);
      return opened;
    } finally {
      if (opened == null) {
        session.close();
      }
    }
  }

  private static SessionOptions options() throws OrtException {
    SessionOptions options = new SessionOptions();
    options.setIntraOpNumThreads(1);
    options.setInterOpNumThreads(1);
    options.setExecutionMode(SessionOptions.ExecutionMode.SEQUENTIAL);
    options.setDeterministicCompute(true);
    // Folding constants while it loads would compute without a deadline.
    options.setOptimizationLevel(SessionOptions.OptLevel.NO_OPT);
    options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL);
    // Its own format would not be what was checked.
    options.addConfigEntry("session.load_model_format", "ONNX");
    return options;
  }

  private OnnxJavaType requireInput(NodeInfo node, int columns) {
    if (!(node.getInfo() instanceof TensorInfo tensor)
        || !(tensor.type == OnnxJavaType.FLOAT || tensor.type == OnnxJavaType.DOUBLE)) {
      throw unsuitable("must take a tensor of floats or doubles, takes " + node.getInfo());
    }
    long[] shape = tensor.getShape();
    boolean fits =
        shape.length == 2
            && (shape[0] == 1 || shape[0] == -1)
            && (shape[1] == columns || shape[1] == -1);
    if (!fits) {
      throw unsuitable(
          "must take one row of the manifest's "
              + columns
              + " inputs, takes the shape "
              + Arrays.toString(shape));
    }
    return tensor.type;
  }

  /** Ends later runs after so long. */
  void limit(Duration deadline) {
    limit = deadline;
  }

  /** The names of the outputs. */
  Set<String> outputs() {
    return session.getOutputNames();
  }

  /**
   * The numbers of these outputs for one row.
   *
   * @throws InputException ({@code regressor-failed}, {@code regressor-unsuitable}, {@code
   *     regressor-not-finite}, {@code regressor-too-slow})
   */
  Map<String, Double> run(double[] row, Set<String> outputs) {
    Deadline deadline = new Deadline(limit);
    try (OrtSession.RunOptions options = new OrtSession.RunOptions()) {
      Future<?> ending = deadline.watch(options);
      try (OnnxTensor tensor = OnnxTensor.createTensor(environment, matrix(row));
          OrtSession.Result result =
              session.run(Map.of(input, tensor), outputs, Map.of(), options)) {
        return numbers(result);
      } finally {
        deadline.end(ending);
      }
    } catch (OrtException e) {
      if (deadline.isPassed()) {
        throw new InputException(
            InputException.Kind.MALFORMED,
            "regressor-too-slow",
            name + ": a run took longer than " + deadline.limit.toMillis() + " ms.",
            e);
      }
      throw failed(name, "failed", e);
    }
  }

  private Map<String, Double> numbers(OrtSession.Result result) throws OrtException {
    Map<String, Double> numbers = new LinkedHashMap<>();
    for (var output : result) {
      requireOneElement(output.getKey(), output.getValue());
      numbers.put(output.getKey(), number(output.getKey(), output.getValue().getValue()));
    }
    return numbers;
  }

  /** Before its elements are copied. */
  private void requireOneElement(String output, OnnxValue value) {
    if (!(value instanceof OnnxTensor tensor)
        || LongStream.of(tensor.getInfo().getShape()).anyMatch(extent -> extent != 1)) {
      throw unsuitable("output " + output + " must be one number a row");
    }
  }

  /** Terminates one run, between two operators, once it has taken too long. */
  private static final class Deadline {
    private final Duration limit;
    private boolean passed;
    private boolean ended;

    Deadline(Duration limit) {
      this.limit = limit;
    }

    Future<?> watch(OrtSession.RunOptions options) {
      return WATCH.schedule(() -> pass(options), limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Never touches options that were closed: {@link #end} comes before. */
    private synchronized void pass(OrtSession.RunOptions options) {
      if (!ended) {
        passed = true;
        terminate(options);
      }
    }

    private static void terminate(OrtSession.RunOptions options) {
      try {
        options.setTerminate(true);
      } catch (OrtException e) {
        throw new IllegalStateException("a run cannot be terminated", e);
      }
    }

    synchronized void end(Future<?> ending) {
      ended = true;
      ending.cancel(false);
    }

    synchronized boolean isPassed() {
      return passed;
    }
  }

  private Object matrix(double[] row) {
    if (isDouble) {
      return new double[][] {row};
    }
    float[] floats = new float[row.length];
    for (int i = 0; i < row.length; i++) {
      floats[i] = (float) row[i];
    }
    return new float[][] {floats};
  }

  private double number(String output, Object value) {
    double number =
        switch (value) {
          case Float scalar -> scalar;
          case Double scalar -> scalar;
          case float[] one when one.length == 1 -> one[0];
          case double[] one when one.length == 1 -> one[0];
          case float[][] one when one.length == 1 && one[0].length == 1 -> one[0][0];
          case double[][] one when one.length == 1 && one[0].length == 1 -> one[0][0];
          default -> throw unsuitable("output " + output + " must be one number a row");
        };
    if (!Double.isFinite(number)) {
      throw InputException.malformed(
          "regressor-not-finite", name + ": output " + output + " answered " + number + ".");
    }
    return number;
  }

  private InputException unsuitable(String what) {
    return InputException.malformed("regressor-unsuitable", name + ": " + what + ".");
  }

  private static InputException failed(String name, String what, OrtException cause) {
    String first = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    return new InputException(
        InputException.Kind.MALFORMED,
        "regressor-failed",
        name
            + ": "
            + what
            + " in ONNX Runtime: "
            + first.substring(0, Math.min(first.length(), MAX_MESSAGE)),
        cause);
  }

  /** Every later call fails. */
  @Override
  public void close() {
    closing.clean();
  }

  private static void close(OrtSession session, String name) {
    try {
      session.close();
    } catch (OrtException e) {
      throw failed(name, "cannot be closed", e);
    }
  }
}
