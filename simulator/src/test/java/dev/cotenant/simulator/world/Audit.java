package dev.cotenant.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.quantity.Nanoseconds;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Looks at a world after every instant and integrates power and pace on its own: from the loads of
 * jobs, not from what GPUs computed.
 */
final class Audit {
  private static final double EXACT = 1e-9;
  private static final double ROUNDING_BYTES = 2048;

  private final World world;
  private final WorldSettings settings;
  private long last;
  private double joules;
  private double progressed;
  private double jobSeconds;
  private double watts;
  private double pace;
  private int running;

  Audit(World world, WorldSettings settings) {
    this.world = world;
    this.settings = settings;
    look(0);
  }

  /** After all events of an instant. */
  boolean look(long now) {
    assertThat(now).as("time never runs back").isGreaterThanOrEqualTo(last);
    double seconds = (now - last) / Nanoseconds.PER_SECOND;
    joules += watts * seconds;
    progressed += pace * seconds;
    jobSeconds += running * seconds;
    last = now;
    watts = 0;
    pace = 0;
    running = 0;
    Set<Job> placed = new HashSet<>();
    for (Gpu gpu : world.gpus()) {
      look(gpu);
      gpu.jobs().forEach(job -> assertThat(placed.add(job)).as("on one GPU").isTrue());
    }
    assertThat(world.inSystem()).isGreaterThanOrEqualTo(running);
    return true;
  }

  private void look(Gpu gpu) {
    assertThat(gpu.usedBytesAt(last))
        .as("memory of " + gpu.uuid)
        .isBetween(-ROUNDING_BYTES, gpu.kind.capacity().bytes() + ROUNDING_BYTES);
    if (gpu.access == Placement.Access.CLOSED) {
      assertThat(gpu.jobs()).as("a closed GPU").hasSize(1);
    }
    double demand = gpu.kind.power().idleWatts();
    for (Job job : gpu.jobs()) {
      assertThat(job.gpu).isSameAs(gpu);
      demand += share(gpu) * job.load().utilizationPercent();
    }
    GpuKind.Cap cap = gpu.kind.power().cap();
    watts += Math.min(cap.watts(), demand);
    double clock = Math.max(0.1, 1 - cap.lossPerWatt() * Math.max(0, demand - cap.watts()));
    for (Job job : gpu.jobs()) {
      List<Phase.Load> others =
          gpu.jobs().stream().filter(other -> other != job).map(Job::load).toList();
      pace += clock * settings.speeds().model().speed(job.load(), others, gpu.kind.device().id());
      running++;
    }
  }

  /** Watts a percent. */
  private static double share(Gpu gpu) {
    GpuKind.Power power = gpu.kind.power();
    return (power.fullWatts() - power.idleWatts()) / 100;
  }

  /** After the last event. */
  void close(Totals totals) {
    assertThat(totals.submitted).isEqualTo(totals.finished() + totals.failed() + totals.unplaced());
    assertThat(world.inSystem()).isEqualTo(totals.unplaced());
    assertThat(totals.energyJoules()).as("energy").isCloseTo(joules, within(EXACT * joules));
    assertThat(totals.jobSeconds()).isCloseTo(jobSeconds, within(EXACT * jobSeconds));
    assertThat(totals.progressedSeconds())
        .as("work done")
        .isCloseTo(progressed, within(EXACT * progressed));
    // Ends of phases are rounded up to a nanosecond each.
    assertThat((totals.work + totals.lost + totals.failedWork) / Nanoseconds.PER_SECOND)
        .as("work is conserved")
        .isCloseTo(progressed, within(1e-6 * progressed));
  }
}
