package dev.cotenant.lab.pairs;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** As many GPUs of one kind as are needed; pods come and stay. */
final class PairCluster {
  private final MeasuredPairs truth;
  private final List<Gpu> gpus = new ArrayList<>();

  PairCluster(MeasuredPairs truth) {
    this.truth = truth;
  }

  /** A GPU in use. */
  static final class Gpu {
    private final String uuid;
    private final List<ReplayedJob> jobs = new ArrayList<>();
    private boolean whole;

    private Gpu(int number) {
      uuid = String.format(Locale.ROOT, "GPU-%06d", number);
    }

    /** In the order of names GPUs are opened. */
    String uuid() {
      return uuid;
    }

    /** Who came first. */
    ReplayedJob first() {
      return jobs.getFirst();
    }
  }

  /**
   * GPUs with a single job that was measured together with the given one. The slowdown of two jobs
   * is measured, of three it is not.
   */
  List<Gpu> candidates(ReplayedJob job) {
    return gpus.stream()
        .filter(gpu ->
            !gpu.whole && gpu.jobs.size() == 1 && truth.worstSlowdown(gpu.first(), job).isPresent())
        .toList();
  }

  void join(Gpu gpu, ReplayedJob job) {
    gpu.jobs.add(job);
  }

  /** Joins the given GPU, or opens a GPU that later jobs may join. */
  void joinOrOpen(Optional<Gpu> gpu, ReplayedJob job) {
    gpu.ifPresentOrElse(found -> join(found, job), () -> open(job));
  }

  /** On a GPU of its own, where others may join it. */
  void open(ReplayedJob job) {
    Gpu gpu = new Gpu(gpus.size());
    gpu.jobs.add(job);
    gpus.add(gpu);
  }

  /** On a GPU of its own, alone for good. */
  void openWhole(ReplayedJob job) {
    open(job);
    gpus.getLast().whole = true;
  }

  int size() {
    return gpus.size();
  }

  /** How many GPUs two share. */
  long shared() {
    return gpus.stream().filter(gpu -> gpu.jobs.size() == 2).count();
  }

  /** On how many GPUs a job was slowed down by more. */
  long slowed(double limit) {
    return gpus.stream().filter(gpu -> isSlowed(gpu, limit)).count();
  }

  /** On how many GPUs both together use more memory than there is, as far as it was measured. */
  long overfull(MemorySize capacity) {
    return gpus.stream().filter(gpu -> !used(gpu).isAtMost(capacity)).count();
  }

  /** How many pods run as they should: not slowed down by more, on no GPU that is overfull. */
  long unharmed(double limit, MemorySize capacity) {
    return gpus.stream()
        .filter(gpu -> !isSlowed(gpu, limit) && used(gpu).isAtMost(capacity))
        .mapToLong(gpu -> gpu.jobs.size())
        .sum();
  }

  private boolean isSlowed(Gpu gpu, double limit) {
    if (gpu.jobs.size() < 2) {
      return false;
    }
    OptionalDouble worst = truth.worstSlowdown(gpu.first(), gpu.jobs.getLast());
    return worst.orElseThrow() > limit;
  }

  private static MemorySize used(Gpu gpu) {
    MemorySize used = MemorySize.ZERO;
    for (ReplayedJob job : gpu.jobs) {
      MemorySize measured = job.memory();
      used = used.plus(measured == null ? MemorySize.ZERO : measured);
    }
    return used;
  }
}
