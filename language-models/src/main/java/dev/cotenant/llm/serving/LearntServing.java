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
 * Coefficients that drift with the release, learnt from the logs of starts: bytes beside a logit,
 * CUDA graphs, context and memory outside of PyTorch. Each is the median of the release's starts,
 * shrunk to the shipped one. A release's coefficients are in force only while they predict each of
 * its starts from those before it better than the shipped ones do; otherwise the shipped are. None
 * leaves what any start could justify: no part is negative, a context is half the shipped one or
 * more, and none grows by more than {@link #MOST_DRIFT}.
 */
public final class LearntServing implements ReleaseCoefficients {
  /** The shipped coefficients alone. */
  public static final LearntServing NONE = new LearntServing(List.of());

  /** Most starts that are retained; the oldest go first. */
  static final int MAX_STARTS = 10_000;

  /** Starts that the shipped coefficients count as. */
  private static final double PRIOR = 2;

  /** Fewest starts, each predicted from those before it, that promote. */
  private static final int LEAST_SCORED = 3;

  /** Most that a constant in bytes may grow. */
  static final double MOST_DRIFT = 4.0 * (1L << 30);

  /** Most bytes beside a logit: a sampler that sorts takes 36. */
  private static final double MOST_LOGIT_BYTES = 64;

  private final List<MeasuredStart> starts;
  private final Map<VllmVersion, Release> releases = new TreeMap<>();

  /**
   * What is known of one release.
   *
   * @param starts distinct ones
   * @param scored starts that were predicted from earlier ones
   * @param shippedError mean absolute error of the shipped coefficients on these, in bytes beside
   *     weights and pool; NaN without one
   * @param learntError the same of learnt ones
   * @param learnt coefficients of all its starts
   * @param promoted whether these are in force
   */
  public record Release(
      VllmVersion version,
      int starts,
      int scored,
      double shippedError,
      double learntError,
      ServingCoefficients learnt,
      boolean promoted) {}

  LearntServing(List<MeasuredStart> starts) {
    this.starts =
        List.copyOf(starts.subList(Math.max(0, starts.size() - MAX_STARTS), starts.size()));
    Map<VllmVersion, List<MeasuredStart>> byRelease = new TreeMap<>();
    for (MeasuredStart start : this.starts) {
      byRelease.computeIfAbsent(start.version(), _ -> new ArrayList<>()).add(start);
    }
    byRelease.forEach((version, own) -> releases.put(version, release(version, own)));
  }

  /** The starts of several, in this order; equal ones count once. */
  public static LearntServing joined(List<LearntServing> several) {
    List<MeasuredStart> all = new ArrayList<>();
    for (LearntServing one : several) {
      for (MeasuredStart start : one.starts) {
        if (all.stream().noneMatch(start::isSame)) {
          all.add(start);
        }
      }
    }
    return new LearntServing(all);
  }

  /** With more starts in the order of their time; those that are there already count once. */
  public LearntServing with(List<ServingRun> more) {
    List<MeasuredStart> all = new ArrayList<>(starts);
    for (ServingRun run : more) {
      MeasuredStart start = MeasuredStart.of(run);
      if (all.stream().noneMatch(start::isSame)) {
        all.add(start);
      }
    }
    return new LearntServing(all);
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
        ? release.learnt()
        : ServingCoefficients.SHIPPED.of(version);
  }

  private static Release release(VllmVersion version, List<MeasuredStart> own) {
    ServingCoefficients shipped = ServingCoefficients.SHIPPED.of(version);
    double shippedError = 0;
    double learntError = 0;
    for (int i = 1; i < own.size(); i++) {
      shippedError += Math.abs(own.get(i).error(shipped));
      learntError += Math.abs(own.get(i).error(learnt(shipped, own.subList(0, i))));
    }
    int scored = own.size() - 1;
    return new Release(
        version,
        own.size(),
        scored,
        shippedError / scored,
        learntError / scored,
        learnt(shipped, own),
        scored >= LEAST_SCORED && learntError < shippedError);
  }

  private static ServingCoefficients learnt(
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
    graphs[0] = Math.min(graphs[0], shipped.graphBytes()[0] + MOST_DRIFT);
    double logit =
        shrunk(shipped.logitBytes(), starts.stream().map(start -> start.besideLogit(shipped)));
    return new ServingCoefficients(
        Math.clamp(logit, 0, MOST_LOGIT_BYTES),
        shipped.forward(),
        shipped.experts(),
        shipped.visionBytes(),
        byParallelism(shipped::nonTorch, 0, starts, start -> start.measured().nonTorch()),
        byParallelism(shipped::context, 0.5, starts, start -> start.measured().context()),
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
      values.put(kind, Math.clamp(after, least * before, before + MOST_DRIFT));
    }
    return values;
  }

  /** The median, with the shipped value as so many starts beside it. */
  private static double shrunk(double shipped, Stream<Double> found) {
    double[] values = found.filter(Double::isFinite).mapToDouble(Double::doubleValue).toArray();
    return values.length == 0
        ? shipped
        : (PRIOR * shipped + values.length * Quantiles.median(values)) / (PRIOR + values.length);
  }
}
