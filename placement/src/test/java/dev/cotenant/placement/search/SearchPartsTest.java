package dev.cotenant.placement.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.RandomFleets;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.placement.search.Needs.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SearchPartsTest {
  private static final DeviceType TYPE = RandomFleets.v100(1);
  private static final DeviceProfile DEVICE = Objects.requireNonNull(TYPE.profile());
  private static final double[] OBJECTIVES = {10, 15, 20, 30, 40, 60};
  private static final double[] RATES = {20, 100, 200, 400, 600};

  private static Service random(Random random, String name) {
    String[] models = {"alexnet", "resnet50", "vgg19", "ssd"};
    return RandomFleets.service(
        name,
        models[random.nextInt(models.length)],
        OBJECTIVES[random.nextInt(OBJECTIVES.length)],
        RATES[random.nextInt(RATES.length)]);
  }

  private static Kind kind(Service service) {
    return new Kind(
        Objects.requireNonNull(service.profiles().get(RandomFleets.V100)),
        service.sloMillis(),
        service.requestsPerSecond(),
        0);
  }

  private static Groups groups(List<Service> services) {
    List<Kind> kinds = services.stream().map(SearchPartsTest::kind).toList();
    Needs needs = new ConstantNeeds(DEVICE, kinds, ConstantNeeds.FEWER);
    return new Groups(DEVICE, needs, kinds, Long.MAX_VALUE);
  }

  /** What Groups calls a fit is one by the independent evaluator, and one unit less is not. */
  @Test
  void sharesOfGroupsAreEnoughAndAloneTheyAreTheLeast() {
    Random random = new Random(1);
    for (int round = 0; round < 300; round++) {
      List<Service> services = new ArrayList<>();
      for (int i = 0; i < 1 + round % 5; i++) {
        services.add(random(random, "s" + i));
      }
      Groups groups = groups(services);
      int[] members = new int[services.size()];
      for (int i = 0; i < members.length; i++) {
        members[i] = i;
      }
      int total = groups.evaluate(members, members.length);
      if (total != Groups.TOO_MANY) {
        assertThat(meets(services, groups, 0)).as("round %d", round).isTrue();
        boolean smaller = members.length == 1 && groups.units(0) > 1;
        assertThat(smaller && meets(services, groups, 1)).as("round %d", round).isFalse();
      }
    }
  }

  private static boolean meets(List<Service> services, Groups groups, int fewer) {
    List<Partition> partitions = new ArrayList<>();
    for (int i = 0; i < services.size(); i++) {
      Service service = services.get(i);
      Turn turn = new Turn(service.name(), groups.batch(i), service.requestsPerSecond());
      partitions.add(Partition.of(Share.ofPercent(2.5).times(groups.units(i) - fewer), turn));
    }
    Fleet fleet = new Fleet(List.of(TYPE), services, List.of(), List.of(), Arrivals.CONSTANT);
    return new GpuEvaluation(fleet)
        .of(PlannedGpu.serving(RandomFleets.V100, partitions)).stream()
            .flatMap(List::stream)
            .allMatch(GpuEvaluation.TurnPrediction::meets);
  }

  /** The relaxation never needs more than a group that fits. */
  @Test
  void relaxesWhatFits() {
    Random random = new Random(2);
    for (int round = 0; round < 300; round++) {
      List<Service> services = new ArrayList<>();
      int[] members = new int[1 + round % 6];
      for (int i = 0; i < members.length; i++) {
        services.add(random(random, "s" + i));
        members[i] = i;
      }
      Groups groups = groups(services);
      Relaxation relaxation =
          new Relaxation(groups, new ConstantNeeds(DEVICE, groups.kinds(), 1 << 20));
      int total = groups.evaluate(members, members.length);

      assertThat(relaxation.holds()).isTrue();
      if (total != Groups.TOO_MANY) {
        assertThat(relaxation.units(members, members.length, members.length))
            .isLessThanOrEqualTo(total);
        assertThat(relaxation.mayFit(members, members.length)).isTrue();
      }
    }
  }

  /** All groups of up to three of five kinds, tried one by one, against the search. */
  @Test
  void findsTheDearestGroup() {
    Random random = new Random(3);
    for (int round = 0; round < 20; round++) {
      List<Service> services = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        services.add(random(random, "s" + i));
      }
      Groups groups = groups(services);
      int[] demand = {1, 1, 1, 1, 1};
      double[] prices = random.doubles(5, 0.1, 1).toArray();
      Relaxation relaxation =
          new Relaxation(groups, new ConstantNeeds(DEVICE, groups.kinds(), 1 << 20));
      Pricing pricing = new Pricing(groups, relaxation, demand);

      double found =
          pricing.search(prices, 0, 1_000_000).stream()
              .mapToDouble(Pricing.Found::value)
              .max()
              .orElse(0);

      assertThat(pricing.finished()).isTrue();
      assertThat(found).as("round %d", round).isCloseTo(dearest(groups, prices), within(1e-12));
      assertThat(pricing.most()).isGreaterThanOrEqualTo(found);
    }
  }

  private static double dearest(Groups groups, double[] prices) {
    double most = 0;
    for (int set = 1; set < 1 << prices.length; set++) {
      int[] members = new int[Integer.bitCount(set)];
      double value = 0;
      int size = 0;
      for (int i = 0; i < prices.length; i++) {
        if ((set & 1 << i) != 0) {
          members[size++] = i;
          value += prices[i];
        }
      }
      most = groups.evaluate(members, size) == Groups.TOO_MANY ? most : Math.max(most, value);
    }
    return most;
  }

  /**
   * Cutting stock by hand: two of the first kind and three of the second; columns {1, 1}, {2, 0}
   * and {0, 2} besides singles. x = (2, 0, ½) costs 2½; the prices are ½ each.
   */
  @Test
  void solvesACoveringProgramByHand() {
    List<Column> singles = List.of(column(0), column(1));
    CoveringProgram program = new CoveringProgram(new int[] {2, 3}, singles);
    program.add(column(0, 1));
    program.add(column(0, 0));
    program.add(column(1, 1));

    program.solve();

    assertThat(program.objective()).isCloseTo(2.5, within(1e-3));
    assertThat(program.prices()).containsExactly(new double[] {0.5, 0.5}, within(1e-9));
    program.demand(new int[] {0, 2});
    program.solve();
    assertThat(program.objective()).isCloseTo(1, within(1e-3));
  }

  private static Column column(int... members) {
    return Column.of(members, members.length);
  }

  /** Every set of services that both arrival models can serve needs no less room for queues. */
  @Test
  void needsMoreWhereRequestsComeAsTheyLike() {
    Random random = new Random(4);
    for (int round = 0; round < 25; round++) {
      Kind kind = kind(random(random, "s"));
      Needs constant = new ConstantNeeds(DEVICE, List.of(kind), ConstantNeeds.FEWER);
      Needs poisson = new PoissonNeeds(DEVICE, List.of(kind), new HashMap<>());
      constant.ask(0, 0, 0, 1);
      poisson.ask(0, 0, 0, 1);

      assertThat(poisson.units).as("%s", kind).isGreaterThanOrEqualTo(constant.units);
    }
  }
}
