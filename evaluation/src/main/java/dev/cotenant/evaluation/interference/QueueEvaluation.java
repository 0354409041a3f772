package dev.cotenant.evaluation.interference;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.Scores;
import dev.cotenant.interference.partition.Inss;

/**
 * How wrong InSS's latency of a request is [InSS, equation 2] against a simulated queue under
 * Poisson arrivals, its two cases apart. Times scale with a batch's, so that one batch time
 * suffices.
 */
final class QueueEvaluation {
  private static final double INFERENCE_MILLIS = 10;
  private static final double[] LOADS = {0.5, 0.8, 0.95};
  private static final int[] BATCHES = {1, 4, 16};
  private static final int REQUESTS = 20_000;

  private QueueEvaluation() {}

  static void addTo(Figures figures, int seeds) {
    for (double load : LOADS) {
      for (int seed = 0; seed < seeds; seed++) {
        Tally tally = new Tally();
        for (int batch : BATCHES) {
          tally.simulate(batch, load, seed);
        }
        tally.addTo(figures, "queue-load-" + Math.round(100.0 * load));
      }
    }
  }

  /** The scores of one seed at one load. */
  private static final class Tally {
    private final Scores enough = new Scores();
    private final Scores toFill = new Scores();
    private final Scores alone = new Scores();

    void simulate(int batch, double load, long seed) {
      double perMilli = load * batch / INFERENCE_MILLIS;
      double[] arrivals = BatchQueue.poisson(perMilli, REQUESTS, seed);
      new BatchQueue(batch, INFERENCE_MILLIS)
          .serve(
              arrivals,
              request -> {
                double said =
                    new Inss.Arrival(
                            request.queued(),
                            request.executingMillis(),
                            Milliseconds.PER_SECOND * perMilli)
                        .latencyMillis(batch, INFERENCE_MILLIS);
                (request.queued() >= batch ? enough : toFill).add(request.millis(), said);
                alone.add(request.millis(), INFERENCE_MILLIS);
              });
    }

    void addTo(Figures figures, String protocol) {
      figures.addMape(protocol, "inference-alone", alone);
      add(figures, protocol, "inss/batch-to-fill", toFill);
      add(figures, protocol, "inss/enough-queued", enough);
    }

    private static void add(Figures figures, String protocol, String model, Scores scores) {
      figures.addMape(protocol, model, scores);
      if (!scores.isEmpty()) {
        double ratio = scores.mean((_, said) -> said) / scores.mean((actual, _) -> actual);
        figures.add(protocol, model, "bias_percent", 100.0 * (ratio - 1), scores.size());
      }
    }
  }
}
