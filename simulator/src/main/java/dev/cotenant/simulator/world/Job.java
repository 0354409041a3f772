package dev.cotenant.simulator.world;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.simulator.event.Timer;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A job in the cluster; only jobs that have arrived and not ended exist. */
final class Job {
  final long number;
  final Submission submission;
  final Truth truth;
  final long arrivedAt;
  final JobView view = new JobView(this);
  final Timer milestone;
  final Timer review;
  final MemoryHistory history;

  @Nullable Gpu gpu;
  long startedAt;
  long queuedAt;
  long waited;
  long ran;
  int kills;
  int moves;
  int skips;
  double speed;

  /** Completed work in nanoseconds, possibly including work that was lost earlier. */
  double done;

  private int phase;
  private double lost;
  private long alone;
  private double aloneUtilization;
  private double stretchStart;
  private MemorySize alonePeak = MemorySize.ZERO;

  /** What a job calls at its milestones and reviews. */
  interface Owner {
    void milestone(Job job);

    void review(Job job);
  }

  Job(long number, Arrival arrival, Owner owner, WorldSettings.History stored) {
    history = MemoryHistory.of(stored);
    this.number = number;
    submission = arrival.submission();
    truth = arrival.truth();
    arrivedAt = arrival.at().toNanos();
    milestone = new Timer(() -> owner.milestone(this));
    review = new Timer(() -> owner.review(this));
  }

  Phase.Load load() {
    return truth.phase(phase).load();
  }

  /** Device memory in bytes at the present progress. */
  double memoryBytes() {
    Phase now = truth.phase(phase);
    double part = (done - truth.startOf(phase)) / (truth.endOf(phase) - truth.startOf(phase));
    return now.memoryAtStart().bytes() + Math.clamp(part, 0, 1) * rise(now);
  }

  /** Growth of memory in bytes per nanosecond at the present speed. */
  double memorySlope() {
    return rise(truth.phase(phase)) / (truth.endOf(phase) - truth.startOf(phase)) * speed;
  }

  private static double rise(Phase phase) {
    return (double) phase.memoryAtEnd().bytes() - phase.memoryAtStart().bytes();
  }

  /** Nanoseconds until the present phase ends at the present speed. */
  long untilMilestone() {
    return (long) Math.ceil(Math.max(0, truth.endOf(phase) - done) / speed);
  }

  /** Work for so long at the present speed. */
  void advance(long nanos) {
    stretchStart = memoryBytes();
    done = Math.min(truth.endOf(phase), done + nanos * speed);
    ran += nanos;
  }

  /** Measures a stretch of time without neighbours, after {@link #advance}. */
  void measureAlone(long nanos) {
    alone += nanos;
    aloneUtilization += load().utilizationPercent() * nanos;
    double peak = Math.max(stretchStart, memoryBytes());
    alonePeak = alonePeak.max(MemorySize.ofBytesRoundedUp(peak));
  }

  /** Ends the present phase; false when it was the last. */
  boolean nextPhase() {
    done = truth.endOf(phase);
    if (phase == truth.phases() - 1) {
      return false;
    }
    phase++;
    return true;
  }

  /** Loses all work at an interruption. */
  void interrupt() {
    lost += done;
    done = 0;
    phase = 0;
  }

  /** Repeated work in nanoseconds. */
  double lostWork() {
    return lost;
  }

  Optional<JobView.Measured> measured() {
    return alone == 0
        ? Optional.empty()
        : Optional.of(
            new JobView.Measured(aloneUtilization / alone, alonePeak, Duration.ofNanos(alone)));
  }
}
