package dev.cotenant.engine.plan;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.Engine;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.Unplaced;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.LongSupplier;

/** Plans whole fleets: reads a document, runs strategies on it and predicts their plans. */
public final class FleetPlanner {
  private static final double NANOS_PER_MILLI = 1e6;

  private final Engine engine;
  private final ProfileBook book;
  private final Strategies strategies;
  private final LongSupplier nanos;

  /**
   * @param engine predicts models
   * @param book coefficients of devices and workloads
   * @param strategies the strategies by name
   * @param nanos a clock for elapsed times
   */
  public FleetPlanner(Engine engine, ProfileBook book, Strategies strategies, LongSupplier nanos) {
    this.engine = engine;
    this.book = book;
    this.strategies = strategies;
    this.nanos = nanos;
  }

  /** Every strategy, and the built-in profiles. */
  public static FleetPlanner standard(Engine engine) {
    return of(engine, ProfileBook.builtIn());
  }

  /** Every strategy, and these profiles. */
  public static FleetPlanner of(Engine engine, ProfileBook book) {
    return new FleetPlanner(engine, book, Strategies.standard(), System::nanoTime);
  }

  /** The same with other profiles. */
  public FleetPlanner with(ProfileBook profiles) {
    return new FleetPlanner(engine, profiles, strategies, nanos);
  }

  /** The strategies by name. */
  public Strategies strategies() {
    return strategies;
  }

  /**
   * The request of a document.
   *
   * @param models where models that it names come from
   * @param name name of the document in messages
   * @throws InputException where it cannot be understood as a whole
   */
  public FleetPlanRequest understand(FleetDocument document, ModelSource models, String name) {
    return new FleetReader(engine, book, models, name).read(document);
  }

  /**
   * Plans of the named strategy, or of every strategy for {@code all}.
   *
   * @throws InputException ({@code unknown-strategy}), or what a strategy says of a fleet that is
   *     not for it
   */
  public List<PlanView> plan(FleetPlanRequest request, String strategy) {
    Fleet fleet = request.fleet();
    if (!strategy.equals(Strategies.ALL)) {
      return List.of(answer(request, strategies.require(strategy)));
    }
    boolean services = !fleet.services().isEmpty() || fleet.jobs().isEmpty();
    return strategies.all(services, !fleet.jobs().isEmpty()).stream()
        .map(pair -> answerOrRefusal(request, pair))
        .toList();
  }

  /** A fleet unsuitable for one strategy must not hide the plans of the others. */
  private PlanView answerOrRefusal(FleetPlanRequest request, Strategies.Pair pair) {
    try {
      return answer(request, pair);
    } catch (InputException e) {
      return new PlanViews(request).refused(pair.name(), e.getMessage());
    }
  }

  private PlanView answer(FleetPlanRequest request, Strategies.Pair pair) {
    Fleet fleet = request.fleet();
    long started = nanos.getAsLong();
    FleetPlan serving =
        fleet.services().isEmpty()
            ? FleetPlan.of(pair.name(), List.of(), List.of())
            : pair.planner().plan(fleet);
    FleetPlan plan =
        fleet.jobs().isEmpty() ? serving : joined(pair, serving, pack(pair, fleet, serving));
    double elapsed = (nanos.getAsLong() - started) / NANOS_PER_MILLI;
    return new PlanViews(request).of(pair.name(), plan, elapsed);
  }

  /** Jobs on the GPUs that services leave. */
  private static FleetPlan pack(Strategies.Pair pair, Fleet fleet, FleetPlan serving) {
    Map<String, Integer> used = new HashMap<>();
    serving.gpus().forEach(gpu -> used.merge(gpu.device(), 1, Integer::sum));
    List<DeviceType> left = new ArrayList<>();
    for (DeviceType type : fleet.devices()) {
      int count = type.maxCount() - used.getOrDefault(type.id(), 0);
      if (count > 0) {
        left.add(
            new DeviceType(type.id(), type.memory(), type.pricePerHour(), count, type.profile()));
      }
    }
    if (left.isEmpty()) {
      return FleetPlan.of(
          pair.name(),
          List.of(),
          fleet.jobs().stream().map(job -> new Unplaced(job.name(), full(fleet))).toList());
    }
    return pair.packer().pack(fleet.on(left));
  }

  private static List<PlanReason> full(Fleet fleet) {
    return fleet.devices().stream()
        .<PlanReason>map(type -> new PlanReason.CountLimit(type.id(), type.maxCount()))
        .toList();
  }

  private static FleetPlan joined(Strategies.Pair pair, FleetPlan serving, FleetPlan packed) {
    return new FleetPlan(
        pair.name(),
        concatenated(serving.gpus(), packed.gpus()),
        concatenated(serving.unplaced(), packed.unplaced()),
        serving.gpus().isEmpty() ? packed.lowerBoundGpus() : OptionalInt.empty(),
        concatenated(serving.notes(), packed.notes()));
  }

  private static <T> List<T> concatenated(List<T> first, List<T> second) {
    List<T> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }
}
