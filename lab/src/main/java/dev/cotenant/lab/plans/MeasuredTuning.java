package dev.cotenant.lab.plans;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.lab.plans.TimedGpu.Change;
import dev.cotenant.lab.plans.TimedGpu.Reading;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Turn;
import java.util.ArrayList;
import java.util.List;

/**
 * GSLICE+ over time: after each period every workload is tuned by its own measurements, without
 * regard to its neighbours: a mean latency beyond half the objective adds a tenth of a GPU, one
 * more than 10 % below it removes a tenth, else a rate that is not reached adds one to the batch. A
 * change takes effect ten seconds later, when its process has started [iGniter, sections 5.1 and
 * 5.3].
 *
 * <p>The paper prints neither step nor start. Shares that would add up to more than a GPU get what
 * is left; in the paper they contend.
 */
public final class MeasuredTuning implements TimedGpu.Controller {
  private static final double THRESHOLD = 0.1;
  private static final int STEP_PERMILLE = 100;
  private static final int MIN_PERMILLE = 25;
  private static final double START_MILLIS = 10_000;

  private final Fleet fleet;
  private final double periodMillis;
  private final double tuneMillis;
  private double nextMillis;

  /**
   * @param periodMillis of readings
   * @param tuneMillis between two adjustments, at least as long as a process needs to start
   */
  public MeasuredTuning(Fleet fleet, double periodMillis, double tuneMillis) {
    this.fleet = fleet;
    this.periodMillis = periodMillis;
    this.tuneMillis = tuneMillis;
    nextMillis = tuneMillis;
    if (tuneMillis < START_MILLIS) {
      throw new IllegalArgumentException("tuneMillis must be at least " + START_MILLIS);
    }
  }

  @Override
  public List<Change> after(double nowMillis, PlannedGpu gpu, List<Reading> readings) {
    List<Change> changes = new ArrayList<>();
    if (nowMillis < nextMillis) {
      return changes;
    }
    nextMillis += tuneMillis;
    int left = Share.WHOLE.permille();
    for (Partition partition : gpu.partitions()) {
      left -= partition.share().permille();
    }
    for (int i = 0; i < readings.size(); i++) {
      Partition now = gpu.partitions().get(i);
      Partition tuned = tuned(now, readings.get(i), left);
      if (!tuned.equals(now)) {
        left -= tuned.share().permille() - now.share().permille();
        changes.add(new Change(i, tuned, nowMillis + START_MILLIS));
      }
    }
    return changes;
  }

  private Partition tuned(Partition now, Reading reading, int left) {
    double budget = TimedGpu.objectiveMillis(fleet, now) / 2;
    double latency = reading.inferenceMillis();
    Turn turn = now.turns().getFirst();
    int share = now.share().permille();
    double served = reading.served() * Milliseconds.PER_SECOND / periodMillis;
    if (latency > budget) {
      return new Partition(new Share(share + Math.min(STEP_PERMILLE, left)), now.turns());
    }
    if (latency < (1 - THRESHOLD) * budget) {
      return new Partition(new Share(Math.max(MIN_PERMILLE, share - STEP_PERMILLE)), now.turns());
    }
    return served < turn.requestsPerSecond()
        ? Partition.of(
            now.share(), new Turn(turn.service(), turn.batch() + 1, turn.requestsPerSecond()))
        : now;
  }
}
