package dev.cotenant.placement.fleet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Plans each kind of device by itself and takes the cheapest plan [iGniter, section 4.1]. */
public final class DeviceChoice {
  /*
   * The cheapest plan with a place for everyone, ties by device. Where no kind has a place for
   * everyone: the plan that leaves the fewest services over, then the cheapest; what is left over is
   * planned in the same way on the kinds not used yet, until none of them takes any.
   */
  private static final Comparator<TypePlan> BETTER =
      Comparator.<TypePlan>comparingInt(plan -> plan.refused().size())
          .thenComparingDouble(TypePlan::cost)
          .thenComparing(plan -> plan.type().id());

  /** A strategy on one kind of device. */
  @FunctionalInterface
  public interface Strategy {
    TypePlan plan(DeviceType type, List<Service> services);
  }

  private final Strategy strategy;
  private final List<TypePlan> taken = new ArrayList<>();
  private List<TypePlan> refusing = List.of();
  private List<Service> left;

  private DeviceChoice(List<Service> services, Strategy strategy) {
    this.strategy = strategy;
    left = services;
  }

  /** A plan of the whole fleet. */
  public static FleetPlan plan(String name, Fleet fleet, Strategy strategy) {
    return new DeviceChoice(fleet.services(), strategy).plan(name, fleet.devices());
  }

  private FleetPlan plan(String name, List<DeviceType> devices) {
    List<DeviceType> unused = new ArrayList<>(devices);
    while (!left.isEmpty() && !unused.isEmpty()) {
      List<TypePlan> plans = unused.stream().map(type -> strategy.plan(type, left)).toList();
      TypePlan best = plans.stream().min(BETTER).orElseThrow();
      if (best.gpus().isEmpty()) {
        refusing = plans;
        break;
      }
      taken.add(best);
      unused.remove(best.type());
      left = left.stream().filter(s -> best.refused().containsKey(s.name())).toList();
    }
    return FleetPlan.of(
        name, taken.stream().flatMap(plan -> plan.gpus().stream()).toList(), unplaced());
  }

  private List<Unplaced> unplaced() {
    return left.stream()
        .sorted(Comparator.comparing(Service::name))
        .map(service -> new Unplaced(service.name(), reasons(service)))
        .toList();
  }

  private List<PlanReason> reasons(Service service) {
    return Stream.concat(taken.stream(), refusing.stream())
        .map(plan -> Objects.requireNonNull(plan.refused().get(service.name())))
        .sorted(Comparator.comparing(PlanReason::device))
        .toList();
  }
}
