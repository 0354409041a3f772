package dev.cotenant.llm.serving;

import dev.cotenant.domain.InputException;
import dev.cotenant.learning.quantile.Quantiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The KV cache that a server's requests used, by window of time, and the pool that suffices for the
 * next window.
 *
 * <p>Tokens are those of blocks, as servers export them: where layers form several groups, a token
 * of a sequence takes a place in a block of each.
 *
 * @param peaks 99th percentile of used tokens in each window, the oldest first
 * @param cut windows with a full pool or waiting requests, whose demand is unknown
 * @param sequences the most that ran at once; 0 where no sample says
 * @param poolTokens of the pool at the newest sample
 */
public record KvDemand(List<Double> peaks, int cut, int sequences, double poolTokens) {
  private static final double PEAK = 0.99;
  private static final double FULL = 0.99;

  /** Fewest windows before one that is predicted. */
  private static final int MIN_WINDOWS = 10;

  /** Fewest samples of a window that counts. */
  public static final int MIN_SAMPLES = 5;

  public KvDemand {
    peaks = List.copyOf(peaks);
  }

  /**
   * One observation of a server.
   *
   * @param seconds since the epoch
   * @param share of the pool in use, from 0 to 1
   * @param poolTokens tokens of the pool then
   * @param running requests whose tokens it held; 0 where that is not known
   * @param waiting requests for which it had no place; 0 where that is not known
   */
  public record Sample(
      double seconds, double share, double poolTokens, double running, double waiting) {
    /** Whether more tokens may have been wanted than were used. */
    boolean isCut() {
      return share >= FULL || waiting > 0;
    }

    boolean isUsable() {
      return share >= 0 && share <= 1 && poolTokens > 0 && poolTokens < 1e15 && seconds >= 0;
    }
  }

  /**
   * A pool for the next window.
   *
   * @param tokens of the pool
   * @param probability that the next window's peak fits, where windows are exchangeable
   * @param tested windows predicted from earlier windows
   * @param held share of these whose peak fitted; NaN without one
   */
  public record Pool(double tokens, double probability, int tested, double held) {}

  /**
   * Demand from samples in any order; samples that are no share of a pool are left out, windows of
   * few samples too.
   *
   * @throws InputException ({@code too-few-samples}) where fewer than ten windows remain
   */
  public static KvDemand of(List<Sample> samples, double windowSeconds) {
    Map<Long, List<Sample>> windows = new TreeMap<>();
    samples.stream()
        .filter(Sample::isUsable)
        .forEach(sample ->
            windows
                .computeIfAbsent(
                    (long) Math.floor(sample.seconds() / windowSeconds), _ -> new ArrayList<>())
                .add(sample));
    windows.values().removeIf(window -> window.size() < MIN_SAMPLES);
    if (windows.size() < MIN_WINDOWS) {
      throw InputException.malformed(
          "too-few-samples",
          "There are samples of "
              + windows.size()
              + " windows; it takes "
              + MIN_WINDOWS
              + ": read a longer time or take shorter windows.");
    }
    List<Double> peaks = new ArrayList<>();
    int cut = 0;
    for (List<Sample> window : windows.values()) {
      double[] used =
          window.stream().mapToDouble(sample -> sample.share() * sample.poolTokens()).toArray();
      Arrays.sort(used);
      peaks.add(used[(int) Math.ceil(PEAK * used.length) - 1]);
      cut += window.stream().anyMatch(Sample::isCut) ? 1 : 0;
    }
    double running =
        windows.values().stream()
            .flatMap(List::stream)
            .mapToDouble(Sample::running)
            .max()
            .orElse(0);
    double pool =
        windows.values().stream()
            .flatMap(List::stream)
            .max(Comparator.comparingDouble(Sample::seconds))
            .map(Sample::poolTokens)
            .orElse(0.0);
    return new KvDemand(peaks, cut, (int) Math.clamp(running, 0, Integer.MAX_VALUE), pool);
  }

  /**
   * The smallest pool whose probability reaches a level, else the highest probability that the
   * number of windows supports [split conformal prediction], with its back-test: each window
   * predicted from earlier windows.
   */
  public Pool pool(double level) {
    int tested = 0;
    double held = 0;
    for (int i = MIN_WINDOWS; i < peaks.size(); i++) {
      double pool = bound(i, level);
      held += peaks.get(i) <= pool ? 1 : 0;
      tested++;
    }
    int windows = peaks.size();
    double rank = Math.min(windows, Math.ceil((windows + 1) * level));
    return new Pool(bound(windows, level), rank / (windows + 1), tested, held / tested);
  }

  private double bound(int windows, double level) {
    return Quantiles.conformal(
        peaks.subList(0, windows).stream().mapToDouble(Double::doubleValue).toArray(), level);
  }
}
