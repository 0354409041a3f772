package dev.cotenant.evaluation.interference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.evaluation.interference.BatchQueue.Request;
import dev.cotenant.interference.partition.Inss;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatchQueueTest {
  private static List<Request> serve(BatchQueue queue, double... arrivals) {
    List<Request> requests = new ArrayList<>();
    queue.serve(arrivals, requests::add);
    return requests;
  }

  @Test
  void startsABatchWhenItIsFullAndTheOneBeforeIsDone() {
    // Batches of two, 10 ms each. The first is full at 4 and done at 14; the second is full at 6,
    // starts at 14 and is done at 24. The request at 30 waits for a second one, which never comes.
    assertThat(serve(new BatchQueue(2, 10), 0, 4, 5, 6, 30))
        .containsExactly(
            new Request(1, 0, 14),
            new Request(2, 0, 10),
            new Request(1, 9, 19),
            new Request(2, 8, 18));
  }

  @ParameterizedTest
  @CsvSource({"0.3", "0.6", "0.9"})
  void waitsAsTheoryHasItWhereBatchesAreSingle(double load) {
    // M/D/1: the mean wait is ρ·t / (2·(1 − ρ)), Pollaczek and Khinchine.
    double[] arrivals = BatchQueue.poisson(load / 10, 400_000, 7);
    double mean =
        serve(new BatchQueue(1, 10), arrivals).stream()
            .mapToDouble(Request::millis)
            .average()
            .orElseThrow();
    double expected = 10 + load * 10 / (2 * (1 - load));
    assertThat(mean).isCloseTo(expected, within(0.05 * expected));
  }

  @Test
  void givesWhatInssSaysToTheDigitWhereBatchesAreSingle() {
    // W requests of 10 ms each after what still runs: equation 2 is exact for b = 1.
    double[] arrivals = BatchQueue.poisson(0.08, 5_000, 3);
    for (Request request : serve(new BatchQueue(1, 10), arrivals)) {
      double said =
          new Inss.Arrival(request.queued(), request.executingMillis(), 80).latencyMillis(1, 10);
      assertThat(said).isCloseTo(request.millis(), within(1e-6));
    }
  }

  @Test
  void isOnAverageWhatInssSaysOfABatchToFill() {
    // W < b with nothing running: the other b − W arrivals take (b − W)/λ on average.
    double[] arrivals = BatchQueue.poisson(0.2, 200_000, 5);
    double said = 0;
    double simulated = 0;
    for (Request request : serve(new BatchQueue(8, 10), arrivals)) {
      if (request.queued() < 8 && request.executingMillis() == 0) {
        said += new Inss.Arrival(request.queued(), 0, 200).latencyMillis(8, 10);
        simulated += request.millis();
      }
    }
    assertThat(said).isCloseTo(simulated, within(0.01 * simulated));
  }

  @Test
  void comesAsOftenAsAsked() {
    double[] arrivals = BatchQueue.poisson(0.5, 100_000, 1);
    assertThat(arrivals).isSorted();
    assertThat(arrivals[arrivals.length - 1] / arrivals.length).isCloseTo(2, within(0.02));
    assertThat(BatchQueue.poisson(0.5, 10, 1)).isEqualTo(BatchQueue.poisson(0.5, 10, 1));
  }
}
