package dev.cotenant.placement.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Job;
import dev.cotenant.placement.fleet.JobPacker;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Unplaced;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JobPackersTest {
  private static final String V100 = "v100-16gb";
  private static final String T4 = "t4";

  static List<JobPacker> packers() {
    return List.of(
        PublishedPacker.UTILPRED_FFD,
        PublishedPacker.SLOT,
        PublishedPacker.REACTIVE,
        PublishedPacker.GPUSHARE,
        PublishedPacker.RESAWARE);
  }

  /*
   * Largest first: c 70, e 50, a 40, b 30, d 20, f 10 %; 2 GiB each of 16.
   * c opens 0; e (70 + 50 > 100) opens 1; a goes to 1 (90); b to 0 (100); d opens 2 (0 is full, 1
   * would be 110); f to 1 (100).
   */
  @Test
  void utilPredPutsTheLargestFirstWhereUtilizationsAddUpToAFullGpu() {
    FleetPlan plan =
        packed(
            PublishedPacker.UTILPRED_FFD,
            job("a", 40, 2, 4),
            job("b", 30, 2, 4),
            job("c", 70, 2, 4),
            job("d", 20, 2, 4),
            job("e", 50, 2, 4),
            job("f", 10, 2, 4));

    assertThat(jobs(plan)).containsExactly(List.of("c", "b"), List.of("e", "a", "f"), List.of("d"));
    assertThat(plan.strategy()).isEqualTo("utilpred-ffd");
  }

  /* Four of 10 % fit by utilization, three may; two of 9 GiB do not fit 16. */
  @Test
  void utilPredAllowsThreeJobsAndWhatTheirMemoryAllows() {
    Fleet small =
        fleet(9, job("a", 10, 1, 1), job("b", 10, 1, 1), job("c", 10, 1, 1), job("d", 10, 1, 1));
    Fleet large = fleet(9, job("a", 10, 9, 1), job("b", 10, 9, 1), job("c", 10, 7, 1));

    assertThat(jobs(PublishedPacker.UTILPRED_FFD.pack(small)))
        .containsExactly(List.of("a", "b", "c"), List.of("d"));
    assertThat(jobs(PublishedPacker.UTILPRED_FFD.pack(large)))
        .containsExactly(List.of("a", "c"), List.of("b"));
  }

  @Test
  void slotGivesEveryJobAGpu() {
    assertThat(jobs(packed(PublishedPacker.SLOT, job("b", 1, 1, 1), job("a", 1, 1, 1))))
        .containsExactly(List.of("a"), List.of("b"));
  }

  /* By name and not by size: a 40, b 70, c 50 %; c goes beside a. Of three GPUs one is kept. */
  @Test
  void reactiveTakesJobsAsTheyComeAndKeepsAGpuToMeasureOn() {
    FleetPlan plan =
        PublishedPacker.REACTIVE.pack(
            fleet(
                3, job("a", 40, 1, 1), job("b", 70, 1, 1), job("c", 50, 1, 1), job("d", 60, 1, 1)));

    assertThat(jobs(plan)).containsExactly(List.of("a", "c"), List.of("b"));
    assertThat(plan.unplaced())
        .containsExactly(new Unplaced("d", List.of(new PlanReason.CountLimit(V100, 2))));
    assertThat(plan.notes()).singleElement().asString().contains("reserved");
  }

  /* Requests of 10, 9, 6, 7 of 16 GiB: c goes to a (least left: 6 < 7), d to b; use is no matter. */
  @Test
  void gpuShareTrustsRequestsAndTakesTheTightestGpu() {
    FleetPlan plan =
        packed(
            PublishedPacker.GPUSHARE,
            job("a", 99, 16, 10),
            job("b", 99, 16, 9),
            job("c", 99, 16, 6),
            job("d", 99, 16, 7));

    assertThat(jobs(plan)).containsExactly(List.of("a", "c"), List.of("b", "d"));
  }

  /* [ResAware, section 6.1]: engines of 7 GB on 32 GB, over-provisioned by 0 to 250 %. */
  @Test
  void gpuShareColocatesFourToOneEnginesAsRequestsGrow() {
    int[] requests = {7, 10, 14, 17, 21, 24}; // GiB, 7 * (1 + 0, 0.5, 1, 1.5, 2, 2.5) cut
    List<Integer> largest = new ArrayList<>();
    for (int request : requests) {
      Job[] engines =
          IntStream.range(0, 8).mapToObj(i -> job("e" + i, 20, 7, request)).toArray(Job[]::new);
      largest.add(
          jobs(PublishedPacker.GPUSHARE.pack(fleet(MemorySize.ofGiB(32), 9, engines)))
              .getFirst()
              .size());
    }

    assertThat(largest).containsExactly(4, 3, 2, 1, 1, 1);
  }

  /* Largest request first: c 9, a 8, b 7, d 1 of 16 GiB. 9 + 7 = 16 is not less than 16, 8 + 7 is. */
  @Test
  void resAwareTakesTheLargestRequestFirstAndLeavesSomething() {
    FleetPlan plan =
        packed(
            PublishedPacker.RESAWARE,
            job("a", 9, 1, 8),
            job("b", 9, 1, 7),
            job("c", 9, 1, 9),
            job("d", 9, 1, 1));

    assertThat(jobs(plan)).containsExactly(List.of("c", "d"), List.of("a", "b"));
    assertThat(plan.notes()).singleElement().asString().contains("CBP and PP");
  }

  @ParameterizedTest
  @MethodSource("packers")
  void opensTheCheapestKindFirstAndSaysWhyNothingIsLeft(JobPacker packer) {
    Fleet fleet =
        fleet(
            List.of(device(V100, 16, 3, 1), device(T4, 4, 1, 1)),
            List.of(
                new Job(
                    "a", Duration.ofHours(1), MemorySize.ofGiB(3), predictions(90, 3, V100, T4)),
                new Job(
                    "b", Duration.ofHours(1), MemorySize.ofGiB(15), predictions(90, 15, V100, T4)),
                new Job("c", Duration.ofHours(1), MemorySize.ofGiB(15), predictions(90, 15, V100)),
                new Job("d", Duration.ofHours(1), MemorySize.ofGiB(1), Map.of())));

    FleetPlan plan = packer.pack(fleet);

    assertThat(plan.gpus())
        .containsExactlyInAnyOrder(
            PlannedGpu.training(T4, List.of("a")), PlannedGpu.training(V100, List.of("b")));
    assertThat(plan.unplaced())
        .containsExactly(
            new Unplaced(
                "c", List.of(new PlanReason.NotProfiled(T4), new PlanReason.CountLimit(V100, 1))),
            new Unplaced(
                "d", List.of(new PlanReason.NotProfiled(T4), new PlanReason.NotProfiled(V100))));
  }

  @ParameterizedTest
  @MethodSource("packers")
  void refusesWhatNeedsMoreThanAGpuHas(JobPacker packer) {
    FleetPlan plan = packer.pack(fleet(2, job("a", 9, 17, 17)));

    assertThat(plan.gpus()).isEmpty();
    assertThat(plan.unplaced().getFirst().reasons())
        .containsExactly(
            new PlanReason.MemoryBeyondDevice(V100, MemorySize.ofGiB(17), MemorySize.ofGiB(16)));
  }

  @ParameterizedTest
  @MethodSource("packers")
  void makesPlansWithoutFaults(JobPacker packer) {
    for (int seed = 0; seed < 500; seed++) {
      Fleet fleet = randomFleet(new Random(seed));

      FleetPlan plan = packer.pack(fleet);

      Rule rule = ((PublishedPacker) packer).rule();
      assertThat(placed(plan)).as("seed %d", seed).hasSameElementsAs(names(fleet.jobs()));
      assertThat(placed(plan)).as("seed %d", seed).doesNotHaveDuplicates();
      for (DeviceType type : fleet.devices()) {
        List<List<Job>> gpus = gpus(plan, type, fleet);
        assertThat(gpus)
            .as("seed %d, %s", seed, type)
            .hasSizeLessThanOrEqualTo(type.maxCount())
            .allMatch(gpu -> !gpu.isEmpty() && fits(gpu, type, rule));
        for (Unplaced unplaced : plan.unplaced()) {
          assertThat(isTrue(reasonOf(unplaced, type), job(unplaced, fleet), type, gpus, rule))
              .as("seed %d, %s, %s", seed, type, unplaced)
              .isTrue();
        }
      }
    }
  }

  /** The names in a plan, with and without a place. */
  private static List<String> placed(FleetPlan plan) {
    return Stream.concat(
            plan.gpus().stream().flatMap(gpu -> gpu.jobs().stream()),
            plan.unplaced().stream().map(Unplaced::name))
        .toList();
  }

  private static List<String> names(List<Job> jobs) {
    return jobs.stream().map(Job::name).toList();
  }

  private static List<List<Job>> gpus(FleetPlan plan, DeviceType type, Fleet fleet) {
    return plan.gpus().stream()
        .filter(gpu -> gpu.device().equals(type.id()))
        .map(gpu -> fleet.jobs().stream().filter(job -> gpu.jobs().contains(job.name())).toList())
        .toList();
  }

  private static Job job(Unplaced unplaced, Fleet fleet) {
    return fleet.jobs().get(names(fleet.jobs()).indexOf(unplaced.name()));
  }

  /** The only reason about a kind of device. */
  private static PlanReason reasonOf(Unplaced unplaced, DeviceType type) {
    List<PlanReason> reasons =
        unplaced.reasons().stream().filter(reason -> reason.device().equals(type.id())).toList();
    assertThat(reasons).hasSize(1);
    return reasons.getFirst();
  }

  private static boolean isTrue(
      PlanReason reason, Job job, DeviceType type, List<List<Job>> gpus, Rule rule) {
    if (!job.predictions().containsKey(type.id())) {
      return reason.equals(new PlanReason.NotProfiled(type.id()));
    }
    if (!fits(List.of(job), type, rule)) {
      MemorySize needed = rule.demand(job, prediction(job, type)).memory();
      return reason.equals(new PlanReason.MemoryBeyondDevice(type.id(), needed, type.memory()));
    }
    int usable = Math.max(1, type.maxCount() - rule.limits().reserved());
    return reason.equals(new PlanReason.CountLimit(type.id(), usable))
        && gpus.size() == usable
        && gpus.stream()
            .map(gpu -> Stream.concat(gpu.stream(), Stream.of(job)).toList())
            .noneMatch(gpu -> fits(gpu, type, rule));
  }

  private static Job.DevicePrediction prediction(Job job, DeviceType type) {
    return Objects.requireNonNull(job.predictions().get(type.id()));
  }

  /** Percent and GiB are whole numbers, so sums are exact. */
  private static boolean fits(List<Job> gpu, DeviceType type, Rule rule) {
    List<Demand> demands =
        gpu.stream().map(job -> rule.demand(job, prediction(job, type))).toList();
    double percent = demands.stream().mapToDouble(demand -> demand.utilization().percent()).sum();
    long bytes = demands.stream().mapToLong(demand -> demand.memory().bytes()).sum();
    boolean mustLeaveSome = rule.limits().memory() == JobLimits.Memory.REQUESTED_LESS_THAN_ALL;
    return gpu.size() <= rule.limits().mostJobs()
        && percent <= 100
        && bytes <= type.memory().bytes() - (mustLeaveSome ? 1 : 0);
  }

  @ParameterizedTest
  @MethodSource("packers")
  void givesOnePlanForOneFleetInAnyOrder(JobPacker packer) {
    for (int seed = 0; seed < 200; seed++) {
      Fleet fleet = randomFleet(new Random(seed));
      FleetPlan plan = packer.pack(fleet);
      List<Job> jobs = new ArrayList<>(fleet.jobs());
      List<DeviceType> devices = new ArrayList<>(fleet.devices());
      Collections.shuffle(jobs, new Random(seed));
      Collections.shuffle(devices, new Random(seed));

      assertThat(packer.pack(fleet)).isEqualTo(plan);
      assertThat(packer.pack(fleet(devices, jobs))).as("seed %d", seed).isEqualTo(plan);
    }
  }

  /** The tree must find what looking at one GPU after the other finds. */
  @Test
  void findsTheFirstGpuWithRoomAsIfItHadLookedAtEach() {
    for (int seed = 0; seed < 200; seed++) {
      List<Job> jobs = randomJobs(new Random(seed), 80);
      FleetPlan plan = PublishedPacker.UTILPRED_FFD.pack(fleet(1000, jobs.toArray(Job[]::new)));

      assertThat(jobs(plan)).isEqualTo(plainFirstFit(jobs));
    }
  }

  private static List<List<String>> plainFirstFit(List<Job> jobs) {
    List<List<Job>> gpus = new ArrayList<>();
    List<Job> sorted =
        jobs.stream()
            .sorted((a, b) ->
                percent(a) == percent(b)
                    ? a.name().compareTo(b.name())
                    : Long.compare(percent(b), percent(a)))
            .toList();
    for (Job job : sorted) {
      List<Job> open =
          gpus.stream()
              .filter(gpu ->
                  gpu.size() < 3
                      && sum(gpu, JobPackersTest::percent) + percent(job) <= 100
                      && sum(gpu, JobPackersTest::gib) + gib(job) <= 16)
              .findFirst()
              .orElse(null);
      if (open == null) {
        open = new ArrayList<>();
        gpus.add(open);
      }
      open.add(job);
    }
    return gpus.stream().map(gpu -> gpu.stream().map(Job::name).toList()).toList();
  }

  private static long sum(List<Job> jobs, ToLongFunction<Job> what) {
    return jobs.stream().mapToLong(what).sum();
  }

  private static Job.DevicePrediction onV100(Job job) {
    return Objects.requireNonNull(job.predictions().get(V100));
  }

  private static long percent(Job job) {
    return Math.round(onV100(job).utilization().percent());
  }

  private static long gib(Job job) {
    return Math.round(onV100(job).peakMemory().toGiB());
  }

  /** Up to 60 jobs on V100s and T4s, few or many; some fit on one kind, some on none. */
  private static Fleet randomFleet(Random random) {
    List<Job> jobs = new ArrayList<>();
    for (int i = random.nextInt(60); i > 0; i--) {
      String[] known = random.nextInt(5) == 0 ? new String[] {V100} : new String[] {V100, T4};
      int percent = random.nextInt(1, 101);
      long gib = random.nextInt(1, 18);
      jobs.add(
          new Job(
              "job-" + i,
              Duration.ofHours(1),
              MemorySize.ofGiB(random.nextInt(1, 18)),
              random.nextInt(20) == 0 ? Map.of() : predictions(percent, gib, known)));
    }
    return fleet(
        List.of(device(V100, 16, 3, random.nextInt(1, 30)), device(T4, 8, 1, random.nextInt(1, 6))),
        jobs);
  }

  private static List<Job> randomJobs(Random random, int count) {
    return IntStream.range(0, count)
        .mapToObj(i ->
            job("job-" + i, random.nextInt(1, 101), random.nextInt(1, 16), random.nextInt(1, 16)))
        .toList();
  }

  /** On nine V100s. */
  private static FleetPlan packed(JobPacker packer, Job... jobs) {
    return packer.pack(fleet(9, jobs));
  }

  private static List<List<String>> jobs(FleetPlan plan) {
    return plan.gpus().stream().map(PlannedGpu::jobs).toList();
  }

  private static Job job(String name, int percent, long gib, long requestedGib) {
    return new Job(
        name, Duration.ofHours(1), MemorySize.ofGiB(requestedGib), predictions(percent, gib, V100));
  }

  private static Map<String, Job.DevicePrediction> predictions(
      int percent, long gib, String... devices) {
    Map<String, Job.DevicePrediction> predictions = new HashMap<>();
    for (String device : devices) {
      predictions.put(
          device, new Job.DevicePrediction(Utilization.ofPercent(percent), MemorySize.ofGiB(gib)));
    }
    return predictions;
  }

  private static DeviceType device(String id, long gib, double price, int count) {
    return new DeviceType(id, MemorySize.ofGiB(gib), price, count, null);
  }

  private static Fleet fleet(List<DeviceType> devices, List<Job> jobs) {
    return new Fleet(devices, List.of(), jobs, List.of(), Arrivals.POISSON);
  }

  private static Fleet fleet(int count, Job... jobs) {
    return fleet(MemorySize.ofGiB(16), count, jobs);
  }

  private static Fleet fleet(MemorySize memory, int count, Job... jobs) {
    return fleet(List.of(new DeviceType(V100, memory, 3, count, null)), List.of(jobs));
  }
}
