package dev.cotenant.placement.serving;

import dev.cotenant.domain.quantity.Milliseconds;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers of {@link BulkQueue} about servers whose batches all take the same time, remembered, and
 * rounded to the side of more latency. Safe for use by several threads.
 */
final class QueueAnswers {
  /*
   * In units of the objective or of the step an answer depends on the batch and one ratio alone:
   * requests within an objective, requests within a step, or the step within the objective. The
   * ratio is rounded up to a grid of 128 points an octave, by 0.54 % at most. Each answer falls with
   * its ratio or, for latencies, grows with it, so rounding promises less than is so.
   */
  private static final int PER_OCTAVE = 128;

  /** Fewer requests within an objective, or a shorter step, count as so much. */
  private static final double MIN_RATIO = 1e-3;

  /** With more requests than that within an objective no step is short enough. */
  private static final double MAX_RATIO = 1e15;

  /** Of each kind, those used last; pods of one workload have the same questions. */
  private static final int MAX_REMEMBERED = 16_384;

  private final Map<Key, Double> longest = remembered();
  private final Map<Key, Double> latencies = remembered();
  private final Map<Key, Double> most = remembered();

  /** An answer is not known, and no further queue may be solved. */
  static final class SpentException extends Exception {
    private static final long serialVersionUID = 1;
  }

  private record Key(int batch, int point) {
    static Key of(int batch, double ratio) {
      return new Key(Math.min(batch, BulkQueue.MAX_BATCH), pointAbove(ratio));
    }

    double ratio() {
      return ratioAt(point);
    }
  }

  private record Answer(double value, int queues) {}

  private static Map<Key, Double> remembered() {
    return new LinkedHashMap<>(16, 0.75f, true) {
      @Override
      protected boolean removeEldestEntry(Map.Entry<Key, Double> eldest) {
        return size() > MAX_REMEMBERED;
      }
    };
  }

  private static int pointAbove(double ratio) {
    return (int) Math.ceil(PER_OCTAVE * Math.log(Math.max(ratio, MIN_RATIO)) / Math.log(2));
  }

  private static double ratioAt(int point) {
    return Math.pow(2, (double) point / PER_OCTAVE);
  }

  /**
   * The longest time of every batch with which 99 of 100 requests are served within an objective.
   *
   * @param requests that come within the objective
   * @return in parts of the objective, at most 1
   */
  double longestStep(int batch, double requests, QueueEffort effort) throws SpentException {
    return requests > MAX_RATIO
        ? 0
        : answer(longest, Key.of(batch, requests), QueueAnswers::longestStep, effort);
  }

  private static Answer longestStep(Key key) {
    double step =
        BulkQueue.largestFactor(BulkQueue.constant(key.batch, 1), perSecond(key.ratio()), 1);
    return new Answer(step, BulkQueue.BISECTIONS);
  }

  /**
   * What 99 of 100 requests take at most.
   *
   * @param requests that come within a step
   * @return in steps; infinite where the queue grows without end
   */
  double latency(int batch, double requests, QueueEffort effort) throws SpentException {
    return requests >= batch
        ? Double.POSITIVE_INFINITY
        : answer(latencies, Key.of(batch, requests), QueueAnswers::latency, effort);
  }

  private static Answer latency(Key key) {
    BulkQueue queue = new BulkQueue(BulkQueue.constant(key.batch, 1), perSecond(key.ratio()));
    return new Answer(queue.p99Millis(), 1);
  }

  /**
   * How many requests may come within an objective for 99 of 100 to be served within it.
   *
   * @param step time of every batch in parts of the objective
   * @return 0 where no number may
   */
  double mostRequests(int batch, double step, QueueEffort effort) throws SpentException {
    return step > 1 ? 0 : answer(most, Key.of(batch, step), QueueAnswers::mostRequests, effort);
  }

  private static Answer mostRequests(Key key) {
    double step = Math.min(1, key.ratio());
    int least = pointAbove(MIN_RATIO) - 1;
    int tooMany = pointAbove(key.batch / step) + 1;
    int none = least;
    int queues = 0;
    while (tooMany - least > 1) {
      int middle = least + (tooMany - least) / 2;
      queues++;
      if (keeps(key.batch, step, ratioAt(middle))) {
        least = middle;
      } else {
        tooMany = middle;
      }
    }
    return new Answer(least == none ? 0 : ratioAt(least), queues);
  }

  private static boolean keeps(int batch, double step, double requests) {
    return new BulkQueue(BulkQueue.constant(batch, step), perSecond(requests)).keeps(1);
  }

  /** Of times in milliseconds. */
  private static double perSecond(double perUnit) {
    return perUnit * Milliseconds.PER_SECOND;
  }

  private static double answer(
      Map<Key, Double> known, Key key, Function<Key, Answer> solve, QueueEffort effort)
      throws SpentException {
    synchronized (known) {
      @Nullable Double found = known.get(key);
      if (found != null) {
        return found;
      }
    }
    if (effort.isSpent()) {
      throw new SpentException();
    }
    Answer answer = solve.apply(key);
    effort.spend(answer.queues);
    synchronized (known) {
      known.put(key, answer.value);
    }
    return answer.value;
  }
}
