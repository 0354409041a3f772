package dev.cotenant.simulator.world.recorder;

import dev.cotenant.domain.quantity.Nanoseconds;
import dev.cotenant.simulator.world.Observer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Time lines and distributions of a run in bounded memory: samples at equal intervals that double
 * whenever there are {@value #MAX_SAMPLES}, and histograms.
 */
public final class Recorder implements Observer {
  private static final int MAX_SAMPLES = 512;

  private final List<Sample> samples = new ArrayList<>(MAX_SAMPLES);
  private final Distribution waiting = new Distribution();
  private final Distribution slowdown = new Distribution();
  private final Distribution completion = new Distribution();
  private long step = Duration.ofSeconds(1).toNanos();
  private long next;

  @Override
  public void ended(Ended job) {
    waiting.add(seconds(job.waited()));
    slowdown.add((double) job.ran().toNanos() / job.work().toNanos());
    completion.add(seconds(job.ended().minus(job.arrived())));
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / Nanoseconds.PER_SECOND;
  }

  @Override
  public long nextSampleNanos() {
    return next;
  }

  @Override
  public void sampled(Sample sample) {
    samples.add(sample);
    if (samples.size() == MAX_SAMPLES) {
      for (int i = 1; i < MAX_SAMPLES / 2; i++) {
        samples.set(i, samples.get(2 * i));
      }
      samples.subList(MAX_SAMPLES / 2, MAX_SAMPLES).clear();
      step *= 2;
    }
    next = samples.getLast().at().toNanos() + step;
  }

  /** At equal intervals from the start, at most {@value #MAX_SAMPLES}. */
  public List<Sample> samples() {
    return List.copyOf(samples);
  }

  /** Seconds in the queue. */
  public Distribution waiting() {
    return waiting;
  }

  /** Time on GPUs, restarts included, over work alone. */
  public Distribution slowdown() {
    return slowdown;
  }

  /** Seconds from arrival to end. */
  public Distribution completion() {
    return completion;
  }
}
