package dev.cotenant.llm.serving;

import dev.cotenant.learning.quantile.Quantiles;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Coefficients that drift with the release, learned from the logs of starts: bytes beside a logit,
 * CUDA graphs, context and memory outside of PyTorch. Each is the median of the release's starts,
 * shrunk to the shipped one. A release's coefficients are in force only while they predict each of
 * its starts from those before it better than the shipped ones do; otherwise the shipped are. None
 * leaves what any start could justify: no part is negative, a context is the shipped one or more,
 * and none grows by more than {@link #MAX_DRIFT}.
 */
public final class LearnedServing implements ReleaseCoefficients {
  /** The shipped coefficients alone. */
  public static final LearnedServing NONE = new LearnedServing(List.of());

  /** Most starts that are retained; the oldest go first. */
  static final int MAX_STARTS = 10_000;

  /** Starts that the shipped coefficients count as. */
  private static final double PRIOR = 2;

  /** Fewest starts, each predicted from those before it, that promote. */
  private static final int MIN_SCORED = 3;

  /** Most that a constant in bytes may grow. */
  static final double MAX_DRIFT = 4.0 * (1L << 30);

  /** Most bytes beside a logit: a sampler that sorts takes 36. */
  private static final double MAX_LOGIT_BYTES = 64;

  private final List<MeasuredStart> starts;
  private final Map<VllmVersion, Release> releases = new TreeMap<>();

  /**
   * Results for one release.
   *
   * @param starts distinct ones
   * @param scored starts that were predicted from earlier ones, and state a part that these and the
   *     shipped coefficients predict differently
   * @param shippedError mean absolute error of the shipped coefficients on these, in bytes beside
   *     weights and pool; NaN without one
   * @param learnedError the same of learned ones
   * @param learned coefficients of all its starts
   * @param promoted whether these are in force
   */
  public record Release(
      VllmVersion version,
      int starts,
      int scored,
      double shippedError,
      double learnedError,
      ServingCoefficients learned,
      boolean promoted) {}

  LearnedServing(List<MeasuredStart> starts) {
    this.starts =
        List.copyOf(starts.subList(Math.max(0, starts.size() - MAX_STARTS), starts.size()));
    Map<VllmVersion, List<MeasuredStart>> byRelease = new TreeMap<>();
    for (MeasuredStart start : this.starts) {
      byRelease.computeIfAbsent(start.version(), _ -> new ArrayList<>()).add(start);
    }
    byRelease.forEach((version, own) -> releases.put(version, release(version, own)));
  }

  /**
   * How coefficients in force predict the starts after them.
   *
   * @param scored later starts that state a part on which the three differ
   * @param inForceError mean absolute error of those in force on these, in bytes beside weights and
   *     pool; NaN without one
   * @param shippedError the same of the shipped ones
   * @param learnedError the same of ones that are learned from the starts before each
   */
  public record Trial(int scored, double inForceError, double shippedError, double learnedError) {}

  /** The starts of several, in this order. */
  public static LearnedServing joined(List<LearnedServing> several) {
    return new LearnedServing(several.stream().flatMap(one -> one.starts.stream()).toList());
  }

  /**
   * Coefficients of a release on its starts.
   *
   * @param from how many of its starts came before them
   */
  public Trial trial(VllmVersion version, ServingCoefficients inForce, int from) {
    ServingCoefficients shipped = ServingCoefficients.SHIPPED.of(version);
    List<MeasuredStart> own =
        starts.stream().filter(start -> start.version().equals(version)).toList();
    int scored = 0;
    double inForceError = 0;
    double shippedError = 0;
    double learnedError = 0;
    for (int i = from; i < own.size(); i++) {
      MeasuredStart start = own.get(i);
      ServingCoefficients learned = learned(shipped, own.subList(0, i));
      if (start.separates(inForce, shipped) || start.separates(inForce, learned)) {
        scored++;
        inForceError += Math.abs(start.error(inForce));
        shippedError += Math.abs(start.error(shipped));
        learnedError += Math.abs(start.error(learned));
      }
    }
    return new Trial(scored, inForceError / scored, shippedError / scored, learnedError / scored);
  }

  /** With more starts in the order of their time; those that are there already count once. */
  public LearnedServing with(List<ServingRun> more) {
    List<MeasuredStart> all = new ArrayList<>(starts);
    for (ServingRun run : more) {
      MeasuredStart start = MeasuredStart.of(run);
      if (all.stream().noneMatch(start::isSame)) {
        all.add(start);
      }
    }
    return new LearnedServing(all);
  }

  /** Releases with starts, the oldest first. */
  public List<Release> releases() {
    return List.copyOf(releases.values());
  }

  /** How many starts they rest on. */
  public int size() {
    return starts.size();
  }

  List<MeasuredStart> starts() {
    return starts;
  }

  @Override
  public boolean isPromoted(VllmVersion version) {
    Release release = releases.get(version);
    return release != null && release.promoted();
  }

  @Override
  public ServingCoefficients coefficients(VllmVersion version) {
    Release release = releases.get(version);
    return release != null && release.promoted()
        ? release.learned()
        : ServingCoefficients.SHIPPED.of(version);
  }

  private static Release release(VllmVersion version, List<MeasuredStart> own) {
    ServingCoefficients shipped = ServingCoefficients.SHIPPED.of(version);
    int scored = 0;
    double shippedError = 0;
    double learnedError = 0;
    for (int i = 1; i < own.size(); i++) {
      MeasuredStart start = own.get(i);
      ServingCoefficients learned = learned(shipped, own.subList(0, i));
      if (start.separates(shipped, learned)) {
        scored++;
        shippedError += Math.abs(start.error(shipped));
        learnedError += Math.abs(start.error(learned));
      }
    }
    return new Release(
        version,
        own.size(),
        scored,
        shippedError / scored,
        learnedError / scored,
        learned(shipped, own),
        scored >= MIN_SCORED && learnedError < shippedError);
  }

  private static ServingCoefficients learned(
      ServingCoefficients shipped, List<MeasuredStart> starts) {
    double[] graphs = shipped.graphBytes().clone();
    graphs[0] +=
        shrunk(
            0,
            starts.stream()
                .filter(start -> start.amounts().graphs()[0] > 0)
                .map(start ->
                    (start.measured().graphs() - shipped.graphs(start.amounts()))
                        / start.amounts().graphs()[0]));
    graphs[0] = Math.min(graphs[0], shipped.graphBytes()[0] + MAX_DRIFT);
    double logit =
        shrunk(shipped.logitBytes(), starts.stream().map(start -> start.besideLogit(shipped)));
    return new ServingCoefficients(
        Math.clamp(logit, 0, MAX_LOGIT_BYTES),
        shipped.forward(),
        shipped.experts(),
        shipped.visionBytes(),
        byParallelism(shipped::nonTorch, 0, starts, start -> start.measured().nonTorch()),
        byParallelism(shipped::context, 1, starts, start -> start.measured().context()),
        graphs,
        shipped.release());
  }

  /** The least is that share of the shipped value. */
  private static Map<Parallelism, Double> byParallelism(
      ToDoubleFunction<Parallelism> shipped,
      double least,
      List<MeasuredStart> starts,
      ToDoubleFunction<MeasuredStart> found) {
    Map<Parallelism, Double> values = new EnumMap<>(Parallelism.class);
    for (Parallelism kind : Parallelism.values()) {
      double before = shipped.applyAsDouble(kind);
      double after =
          shrunk(
              before,
              starts.stream()
                  .filter(start -> start.parallelism() == kind)
                  .map(found::applyAsDouble));
      values.put(kind, Math.clamp(after, least * before, before + MAX_DRIFT));
    }
    return values;
  }

  /** The median, shrunk to the shipped value by a fixed number of pseudo-starts. */
  private static double shrunk(double shipped, Stream<Double> found) {
    double[] values = found.filter(Double::isFinite).mapToDouble(Double::doubleValue).toArray();
    return values.length == 0
        ? shipped
        : (PRIOR * shipped + values.length * Quantiles.median(values)) / (PRIOR + values.length);
  }
}
