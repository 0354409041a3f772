package dev.cotenant.plugin;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.plugin.Regressor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One ONNX graph as a predictor of one target. */
final class OnnxRegressor implements Regressor {
  /** 16 TiB, as far as predictions of memory go. */
  private static final MemorySize MAX_MEMORY = MemorySize.ofGiB(16 << 10);

  private static final int VERSION_DIGITS = 12;

  private final Manifest manifest;
  private final String version;
  private final OnnxSession session;
  private final String answer;
  private final Set<String> outputs;

  /**
   * @param sha256 digest of the identifying file
   * @throws InputException ({@code regressor-unsuitable}) when the graph lacks an output that the
   *     manifest names
   */
  OnnxRegressor(Manifest manifest, String sha256, OnnxSession session) {
    this.manifest = manifest;
    version = manifest.name() + "-" + sha256.substring(0, VERSION_DIGITS);
    this.session = session;
    answer = answerOf(manifest, session);
    outputs = new LinkedHashSet<>(List.of(answer));
    if (manifest.bound() instanceof Manifest.Bound.SecondOutput second) {
      outputs.add(known(second.name(), session));
    }
  }

  private static String answerOf(Manifest manifest, OnnxSession session) {
    String named = manifest.output().name();
    if (named != null) {
      return known(named, session);
    }
    if (session.outputs().size() != 1) {
      throw unsuitable(
          manifest.file() + ": has several outputs, name one of " + names(session) + ".");
    }
    return session.outputs().iterator().next();
  }

  private static String known(String name, OnnxSession session) {
    if (!session.outputs().contains(name)) {
      throw unsuitable(
          "The graph has no output '" + name + "': use one of " + names(session) + ".");
    }
    return name;
  }

  private static String names(OnnxSession session) {
    return String.join(", ", session.outputs());
  }

  private static InputException unsuitable(String message) {
    return InputException.malformed("regressor-unsuitable", message);
  }

  /**
   * Its estimate, not yet of a type.
   *
   * @param mean percent or bytes
   * @param upper upper bound, at least the mean
   */
  private record Estimate(double mean, double upper) {}

  /**
   * Percent of utilization (0 to 100) or bytes of peak memory (at least 0, at most 16 TiB).
   *
   * @throws InputException ({@code regressor-not-finite}, {@code regressor-failed})
   */
  private Estimate estimate(ModelFeatures features, Device device) {
    Map<String, Double> numbers = session.run(manifest.vector(features, device), outputs);
    Answer kind = manifest.output().answer();
    double mean = clipped(kind.valueOf(numbers.getOrDefault(answer, Double.NaN)));
    double upper =
        switch (manifest.bound()) {
          case Manifest.Bound.LogOffset(double offset, _) -> kind.raised(mean, offset);
          case Manifest.Bound.SecondOutput(String name, _) ->
              kind.valueOf(numbers.getOrDefault(name, Double.NaN));
        };
    if (!Double.isFinite(upper)) {
      throw InputException.malformed(
          "regressor-not-finite", manifest.file() + ": the upper bound is " + upper + ".");
    }
    return new Estimate(mean, Math.max(mean, clipped(upper)));
  }

  private double clipped(double value) {
    double most = manifest.output().answer().isUtilization() ? 100 : MAX_MEMORY.bytes();
    return Math.clamp(value, 0, most);
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public Target target() {
    return manifest.output().answer().target();
  }

  @Override
  public String provenance() {
    return "answers: "
        + manifest.output().answer().key()
        + "\ncoverage: "
        + manifest.bound().coverage().fraction()
        + "\ndevices: "
        + manifest.scope().devices().stream().sorted().toList()
        + "\nmodel_sha256: "
        + manifest.sha256()
        + "\n";
  }

  @Override
  public boolean covers(RunSettings settings, Device device) {
    Manifest.Scope scope = manifest.scope();
    return scope.devices().contains(device.id())
        && scope.modes().contains(settings.mode())
        && scope.precisions().contains(settings.precision());
  }

  @Override
  public Prediction answer(Prediction shipped, ModelFeatures features, Device device) {
    requireInScope(shipped, device);
    Estimate estimate = estimate(features, device);
    boolean isUtilization = manifest.output().answer().isUtilization();
    List<String> warnings = new ArrayList<>(shipped.warnings());
    warnings.add(
        (isUtilization ? "Utilization" : "Peak memory")
            + " is an estimate of the regressor "
            + version()
            + ", whose bound and coverage are as its manifest states them.");
    Prediction estimated =
        isUtilization
            ? shipped.withUtilization(utilization(estimate))
            : shipped.withPeakMemory(memory(estimate));
    return estimated
        .withModelVersion(shipped.modelVersion() + "+" + version())
        .withWarnings(warnings);
  }

  private void requireInScope(Prediction shipped, Device device) {
    if (!covers(shipped.settings(), device)) {
      throw InputException.invalidArgument(
          "regressor-not-for-this",
          "The regressor "
              + version()
              + " does not say that it covers "
              + shipped.settings().mode()
              + " in "
              + shipped.settings().precision()
              + " on "
              + device.id()
              + ": ask about what its manifest lists, or ask without it.");
    }
  }

  /** Nothing is known of the lower side, which 0 bounds. */
  private UtilizationEstimate utilization(Estimate estimate) {
    return new UtilizationEstimate(
        Utilization.ofPercent(estimate.mean()),
        Utilization.IDLE,
        Utilization.ofPercent(estimate.upper()),
        manifest.bound().coverage());
  }

  private MemoryEstimate memory(Estimate estimate) {
    return new MemoryEstimate(
        MemorySize.ofBytesRoundedUp(estimate.mean()),
        MemorySize.ofBytes(0),
        MemorySize.ofBytesRoundedUp(estimate.upper()),
        manifest.bound().coverage());
  }

  @Override
  public void close() {
    session.close();
  }
}
