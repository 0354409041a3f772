package dev.cotenant.simulator.world;

import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A seeded cluster, its jobs and a policy that does anything that it may. */
public record RandomWorld(WorldSettings settings, List<Arrival> jobs, Policy policy) {
  private static final int JOBS = 120;
  private static final int TENANTS = 4;
  private static final int MAX_MOVES = 6;

  public static RandomWorld of(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<WorldSettings.Machine> machines = new ArrayList<>();
    for (int node = 0; node < 3; node++) {
      double full = 150 + random.nextInt(250);
      GpuKind.Cap cap = new GpuKind.Cap(full * (0.6 + random.nextDouble()), 0.003);
      GpuKind kind =
          new GpuKind(
              Worlds.DEVICE,
              MemorySize.ofGiB(16 + random.nextInt(64)),
              new GpuKind.Power(30, full, cap));
      machines.add(new WorldSettings.Machine("node-" + node, kind, 1 + random.nextInt(3)));
    }
    WorldSettings settings = WorldSettings.of(machines, Worlds.FIFTH);
    return new RandomWorld(settings, jobs(random), new Anything(random.split()));
  }

  private static List<Arrival> jobs(SplittableRandom random) {
    List<Arrival> jobs = new ArrayList<>();
    long at = 0;
    for (int i = 0; i < JOBS; i++) {
      at += random.nextLong(60_000_000_000L);
      List<Phase> phases = new ArrayList<>();
      for (int phase = 0; phase <= random.nextInt(3); phase++) {
        phases.add(
            new Phase(
                Duration.ofMillis(1 + random.nextInt(200_000)),
                new Phase.Load("load-" + i, random.nextInt(101)),
                MemorySize.ofMiB(random.nextInt(12_000)),
                MemorySize.ofMiB(random.nextInt(i % 40 == 39 ? 120_000 : 12_000))));
      }
      Submission submission = Worlds.submission("job-" + i, 50, MemorySize.ofGiB(8));
      jobs.add(new Arrival(Duration.ofNanos(at), submission, Truth.of(phases)));
    }
    return jobs;
  }

  /** Joins, closes, reviews, moves and sends back at random. */
  private record Anything(SplittableRandom random) implements Policy {
    @Override
    public QueueRule queue() {
      return new QueueRule(QueueRule.Order.FIFO, Duration.ofSeconds(20), 10);
    }

    @Override
    public Placement place(JobView job, View view) {
      GpuView gpu = view.gpus().get(random.nextInt(view.gpus().size()));
      return view.mayJoin(job, gpu) && gpu.tenants().size() < TENANTS
          ? start(gpu)
          : Placement.waiting();
    }

    private Placement.Start start(GpuView gpu) {
      boolean closes = gpu.tenants().isEmpty() && random.nextInt(4) == 0;
      Duration review = closes || random.nextBoolean() ? later() : null;
      Placement.Access access = closes ? Placement.Access.CLOSED : Placement.Access.OPEN;
      return new Placement.Start(gpu, access, review);
    }

    private Duration later() {
      return Duration.ofMillis(1 + random.nextInt(200_000));
    }

    @Override
    public Review review(JobView job, View view) {
      GpuView gpu = view.gpus().get(random.nextInt(view.gpus().size()));
      boolean mayMove = job.moves() < MAX_MOVES;
      return switch (random.nextInt(3)) {
        case 0 -> mayMove ? new Review.Leave() : new Review.Stay(null);
        case 1 ->
            mayMove && view.mayJoin(job, gpu) && gpu.tenants().size() < TENANTS
                ? new Review.Move(start(gpu))
                : new Review.Stay(later());
        default -> new Review.Stay(random.nextBoolean() ? later() : null);
      };
    }
  }
}
