package dev.cotenant.simulator.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.simulator.world.Arrival;
import dev.cotenant.simulator.world.GpuView;
import dev.cotenant.simulator.world.JobView;
import dev.cotenant.simulator.world.Observer;
import dev.cotenant.simulator.world.OwnQueue;
import dev.cotenant.simulator.world.Phase;
import dev.cotenant.simulator.world.Placement;
import dev.cotenant.simulator.world.Policy;
import dev.cotenant.simulator.world.QueueRule;
import dev.cotenant.simulator.world.Review;
import dev.cotenant.simulator.world.Submission;
import dev.cotenant.simulator.world.Totals;
import dev.cotenant.simulator.world.Truth;
import dev.cotenant.simulator.world.View;
import dev.cotenant.simulator.world.World;
import dev.cotenant.simulator.world.WorldSettings;
import dev.cotenant.simulator.world.WorldSettings.History;
import dev.cotenant.simulator.world.Worlds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every policy on seeded random clusters. */
class PolicyInvariantsTest {
  private static final SharingDecider DECIDER =
      new SharingDecider(FallbackInterferenceModel.builtIn());
  private static final int JOBS = 80;
  private static final int GPUS = 4;

  private static final List<String> TRUSTS_UTILIZATION =
      List.of("proactive", "utilization", "decide", "gate");

  private static final Map<String, List<Run>> RUNS = new ConcurrentHashMap<>();

  static List<String> policies() {
    return Policies.all().stream().map(Policies.Named::name).toList();
  }

  /** Predictions and requests are the truth; ramps, steps and constant memory. */
  private static List<Arrival> jobs(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Arrival> jobs = new ArrayList<>();
    double at = 0;
    for (int i = 0; i < JOBS; i++) {
      at += 60 * random.nextDouble();
      int percent = 5 + random.nextInt(90);
      MemorySize peak = MemorySize.ofGiB(1 + random.nextInt(20));
      Submission submission =
          new Submission(
              "job-" + i,
              "configuration-" + random.nextInt(20),
              peak,
              Worlds.submission("any", percent, peak).predictions());
      jobs.add(
          new Arrival(
              Duration.ofNanos((long) (at * 1e9)), submission, truth(random, percent, peak)));
    }
    return jobs;
  }

  private static Truth truth(SplittableRandom random, int percent, MemorySize peak) {
    Phase.Load load = new Phase.Load("load", percent);
    Duration work = Duration.ofMillis(1 + random.nextInt(300_000));
    MemorySize half = MemorySize.ofBytes(peak.bytes() / 2);
    return switch (random.nextInt(3)) {
      case 0 -> Truth.of(Phase.of(work, load, peak));
      case 1 -> Truth.of(List.of(new Phase(work, load, half, peak), Phase.of(work, load, half)));
      default -> Truth.of(List.of(Phase.of(work, load, half), Phase.of(work, load, peak)));
    };
  }

  private static WorldSettings settings() {
    return Worlds.gpus(GPUS, Worlds.FIFTH).withHistory(new History(Duration.ofSeconds(1), 60));
  }

  private static Policy policy(String name, WorldSettings settings) {
    return Policies.make(
        name,
        new Policies.Setting(settings, DECIDER, SharingLimits.DEFAULT, Worlds.DEVICE.id(), 3));
  }

  /** A simulation whose state was checked at every change. */
  private record Run(Totals totals, List<Observer.Ended> ended, int mostTenants) {
    static Run of(String name, long seed) {
      WorldSettings settings = settings();
      Checked policy = new Checked(policy(name, settings), TRUSTS_UTILIZATION.contains(name));
      List<Observer.Ended> ended = new ArrayList<>();
      Totals totals = World.run(settings, jobs(seed).iterator(), policy, ended::add);
      return new Run(totals, ended, policy.mostTenants);
    }
  }

  /** The first runs of a policy, of one seed each. */
  private static List<Run> runs(String name) {
    return RUNS.computeIfAbsent(
        name, _ -> LongStream.range(0, 3).mapToObj(seed -> Run.of(name, seed)).toList());
  }

  @ParameterizedTest
  @MethodSource("policies")
  void workAndEnergyAddUpAndEveryJobEnds(String name) {
    for (Run run : runs(name)) {
      Totals totals = run.totals();
      assertThat(totals.finished()).isEqualTo(JOBS);
      assertThat(totals.unplaced()).isZero();
      assertThat(totals.progressedSeconds())
          .isCloseTo(
              totals.finishedWorkSeconds() + totals.lostWorkSeconds(),
              within(1e-6 * totals.progressedSeconds()));
      assertThat(totals.energyJoules())
          .isCloseTo(
              GPUS * totals.makespanSeconds() * (100 + 200 * totals.meanUtilizationPercent() / 100),
              within(1e-6 * totals.energyJoules()));
      assertThat(run.ended())
          .allSatisfy(job ->
              assertThat(job.ended())
                  .isGreaterThanOrEqualTo(job.arrived().plus(job.waited()).plus(job.ran())))
          .isSortedAccordingTo((a, b) -> a.ended().compareTo(b.ended()));
    }
  }

  @ParameterizedTest
  @MethodSource("policies")
  void theSameInputGivesTheSameJobByJobFigures(String name) {
    assertThat(Run.of(name, 0).ended()).isEqualTo(runs(name).getFirst().ended());
  }

  /** Predictions are the truth here: no stated limit is ever broken. */
  @ParameterizedTest
  @MethodSource("policies")
  void noGpuIsAboveTheLimitsOfItsPolicy(String name) {
    boolean trustsMemory = !name.equals("proactive") && !name.startsWith("resaware");
    for (Run run : runs(name)) {
      assertThat(run.mostTenants()).isBetween(1, name.startsWith("resaware") ? JOBS : 3);
      if (trustsMemory && !isMeasuring(name)) {
        assertThat(run.totals().outOfMemoryKills()).isZero();
      }
    }
  }

  /** What a minute shows of a ramp is not its peak, nor do runs of a configuration repeat here. */
  private static boolean isMeasuring(String name) {
    return name.startsWith("reactive")
        || name.startsWith("profile")
        || name.equals("memory-over-time");
  }

  /** Delegates to a policy and checks every GPU that changes; time never runs back. */
  private static final class Checked implements Policy {
    private final Policy policy;
    private final boolean trustsUtilization;
    private int mostTenants;
    private Duration last = Duration.ZERO;

    Checked(Policy policy, boolean trustsUtilization) {
      this.policy = policy;
      this.trustsUtilization = trustsUtilization;
    }

    @Override
    public QueueRule queue() {
      return policy.queue();
    }

    @Override
    public Optional<OwnQueue> ownQueue() {
      return policy.ownQueue();
    }

    @Override
    public void queued(JobView job) {
      policy.queued(job);
    }

    @Override
    public Object schedulingClass(JobView job) {
      return policy.schedulingClass(job);
    }

    @Override
    public Placement place(JobView job, View view) {
      assertThat(view.now()).isGreaterThanOrEqualTo(last);
      last = view.now();
      return policy.place(job, view);
    }

    @Override
    public Review review(JobView job, View view) {
      return policy.review(job, view);
    }

    @Override
    public void finished(JobView job) {
      policy.finished(job);
    }

    @Override
    public void changed(GpuView gpu) {
      mostTenants = Math.max(mostTenants, gpu.tenants().size());
      assertThat(gpu.usedMemory().isAtMost(gpu.kind().capacity())).isTrue();
      if (trustsUtilization) {
        Knowledge known = Knowledge.predictedOn(Worlds.DEVICE.id());
        double sum =
            gpu.tenants().stream()
                .mapToDouble(job -> known.of(job).orElseThrow().utilizationPercent())
                .sum();
        assertThat(sum).isLessThanOrEqualTo(100 + 1e-9);
      }
      policy.changed(gpu);
    }
  }

  @Test
  void sharingPoliciesNeedLessGpuTimeThanExclusive() {
    double exclusive = gpuHours("exclusive");
    for (String name : List.of("gpushare", "proactive", "utilization", "decide", "gate")) {
      assertThat(gpuHours(name)).as(name).isLessThan(0.95 * exclusive);
    }
    assertThat(gpuHours("profile-once")).isLessThan(exclusive);
  }

  private static double gpuHours(String name) {
    return runs(name).stream().mapToDouble(run -> run.totals().gpuHours()).sum();
  }

  @Test
  void anUnknownPolicyIsRefusedWithTheKnownNames() {
    assertThatThrownBy(() -> policy("best", settings()))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("exclusive, gpushare");
  }
}
