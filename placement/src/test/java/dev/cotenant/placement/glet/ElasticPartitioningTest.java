package dev.cotenant.placement.glet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.glet.ElasticPartitioning.Rules;
import dev.cotenant.placement.glet.ElasticPartitioning.Sharing;
import dev.cotenant.placement.glet.ElasticPartitioning.Sizing;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ElasticPartitioningTest {
  private static final GpuletScheduler BLIND =
      new ElasticPartitioning(new Rules(Sizing.KNEE, Sharing.IN_SPACE_AND_TIME, Interference.NONE));
  private static final GpuletScheduler TUNED =
      new ElasticPartitioning(
          new Rules(Sizing.MIN_SUFFICIENT, Sharing.IN_SPACE, Interference.NONE));

  private static GpuletScheduler elastic(double factor) {
    return new ElasticPartitioning(
        new Rules(Sizing.KNEE, Sharing.IN_SPACE_AND_TIME, (own, size, other, otherSize) -> factor));
  }

  /** "size[name×rate …]", a GPU a line. */
  private static List<String> drawn(PoolPlan poolPlan) {
    return poolPlan.layouts().stream()
        .map(layout ->
            layout.gpulets().stream()
                .map(ElasticPartitioningTest::drawn)
                .reduce("", String::concat))
        .toList();
  }

  private static String drawn(Gpulet gpulet) {
    return Math.round(gpulet.size().percent())
        + gpulet.assignments().stream()
            .map(
                assignment -> assignment.tenant().name() + "×" + Math.round(assignment.perSecond()))
            .toList()
            .toString();
  }

  /**
   * A sample takes 1 ms of a whole GPU, 100/p of a gpu-let: 1,000 a second × p. No knee: p_req. 380
   * want 40 %, which splits a GPU; 550 of b went first and want 60 %. The other half is the best
   * fit.
   */
  @Test
  void splitsAWholeGpuAndFillsTheOtherHalfWithTheNext() {
    Tenant a = Tenants.of("a", 1000, 380, Tenants.proportional(1));
    Tenant b = Tenants.of("b", 1000, 550, Tenants.proportional(1));

    PoolPlan poolPlan = BLIND.plan(Tenants.TEN, List.of(a, b));

    assertThat(drawn(poolPlan)).containsExactly("60[b×550]40[a×380]");
  }

  /**
   * 620 of a want 80 %, of which they use 620/800; 150 of b want 20 %, which is what is left, but
   * the 150/800 fit into a's gpu-let too: in a cycle of 6.25 ms run 4 of a and 1 of b. Of 600 in 60
   * % there is no time left.
   */
  @Test
  void mergesIntoAGpuLetInUseRatherThanTakeAFreeOne() {
    Tenant a = Tenants.of("a", 1000, 620, Tenants.proportional(1));
    Tenant full = Tenants.of("full", 1000, 599, Tenants.proportional(1));
    Tenant b = Tenants.of("b", 1000, 150, Tenants.proportional(1));

    assertThat(drawn(BLIND.plan(Tenants.TEN, List.of(a, b))))
        .containsExactly("80[a×620, b×150]20[]");
    assertThat(drawn(BLIND.plan(Tenants.TEN, List.of(full, b))))
        .containsExactly("60[full×599]40[b×150]");
    assertThat(drawn(TUNED.plan(Tenants.TEN, List.of(a, b))))
        .as("self-tuning knows no turns")
        .containsExactly("80[a×620]20[b×150]");
  }

  /**
   * c wants 50 % and would open a second GPU; merged into a's first, it leaves the second alone.
   */
  @Test
  void revertsTheSplitOfAGpuThatItThenDoesNotNeed() {
    Tenant a = Tenants.of("a", 1000, 550, Tenants.line(0, 1));
    Tenant c = Tenants.of("c", 1000, 400, Tenants.line(0, 1));
    GpuletScheduler crowded = elastic(3);

    // Shares make no difference, so that both want 20 %; beside each other they would take 3 times
    // as
    // long, 1.2 of the time; in turns 0.55 + 0.4 of it.
    assertThat(drawn(crowded.plan(Tenants.TEN, List.of(a, c))))
        .containsExactly("20[a×550, c×400]80[]");
  }

  @Test
  void fillsWholeGpusUntilTheRateIsServed() {
    Tenant a = Tenants.of("a", 1000, 2300, Tenants.proportional(1));

    assertThat(drawn(BLIND.plan(Tenants.TEN, List.of(a))))
        .containsExactly("100[a×1000]", "100[a×1000]", "40[a×300]60[]");
  }

  /**
   * At the knee of 40 % it serves 800; what is left, 700, would go into 40 % and gets the other 60.
   */
  @Test
  void servesALargeRateInPartsOfTheKnee() {
    Map<Size, Double> sample =
        Map.of(
            Size.PERCENT_20, 1 / 0.4,
            Size.PERCENT_40, 1 / 0.8,
            Size.PERCENT_50, 1 / 0.85,
            Size.PERCENT_60, 1 / 0.9,
            Size.PERCENT_80, 1 / 0.95);
    Tenant a = Tenants.of("a", 1e6, 1500, (batch, size) -> batch * sample.getOrDefault(size, 1.0));

    assertThat(drawn(BLIND.plan(Tenants.TEN, List.of(a)))).containsExactly("40[a×800]60[a×700]");
  }

  /** Beside a, b would need 1,100 of the 600 that 60 % serve. */
  @Test
  void takesTheNextGpuWhereNeighboursWouldNotHold() {
    Tenant a = Tenants.of("a", 1000, 380, Tenants.proportional(1));
    Tenant b = Tenants.of("b", 1000, 550, Tenants.proportional(1));

    assertThat(drawn(elastic(2).plan(Tenants.TEN, List.of(a, b))))
        .containsExactly("60[b×550]40[]", "40[a×380]60[]");
  }

  /** 290 of b find 20 % free, which serve 200, and 90 fit into a's turns. */
  @Test
  void usesWhatIsLeftWhereNoFreeGpuLetIsLargeEnough() {
    Tenant a = Tenants.of("a", 1000, 700, Tenants.proportional(1));
    Tenant b = Tenants.of("b", 1000, 290, Tenants.proportional(1));

    assertThat(drawn(BLIND.plan(Tenants.pool(1), List.of(a, b))))
        .containsExactly("80[a×700, b×90]20[b×200]");
  }

  @Test
  void takesOutAgainWhatCannotBeServedInFull() {
    Tenant a = Tenants.of("a", 1000, 700, Tenants.proportional(1));
    Tenant b = Tenants.of("b", 1000, 690, Tenants.proportional(1));
    Tenant c = Tenants.of("c", 1000, 100, Tenants.proportional(1));

    PoolPlan poolPlan = BLIND.plan(Tenants.pool(1), List.of(a, b, c));

    assertThat(poolPlan.left()).containsExactly(b);
    assertThat(poolPlan.layouts()).hasSize(1);
    assertThat(poolPlan.layouts().getFirst().gpulets().stream().mapToDouble(Gpulet::load).sum())
        .isGreaterThan(700 / 800.0);
  }

  @Test
  void doesNotShareMoreMemoryThanThereIs() {
    MemorySize tenGiB = MemorySize.ofGiB(10);
    Tenant a = Tenants.of(new Service("a", 1000, 300, tenGiB, Map.of()), Tenants.proportional(1));
    Tenant b = Tenants.of(new Service("b", 1000, 300, tenGiB, Map.of()), Tenants.proportional(1));

    assertThat(drawn(BLIND.plan(Tenants.TEN, List.of(a, b))))
        .containsExactly("40[a×300]60[]", "40[b×300]60[]");
  }

  /** Beside any other it takes twice as long: of 40 %, 400 a second, it is given 200. */
  @Test
  void leavesRoomForTheWorstNeighbourInAGpuLetThatItFills() {
    Tenant a = Tenants.of("a", 1000, 380, Tenants.proportional(1));
    WorstCaseThroughput worstCase =
        new WorstCaseThroughput((own, size, other, otherSize) -> 2, List.of(a));

    assertThat(worstCase.mostPerSecond(a, Size.PERCENT_40)).isCloseTo(200, within(1e-9));
    assertThat(worstCase.mostPerSecond(a, Size.WHOLE)).isCloseTo(1000, within(1e-9));
  }
}
