package dev.cotenant.lab.serving;

import dev.cotenant.lab.requests.Replanning.Targets;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Rates that the authors of gpu-lets plan for (setupTasks in global_scheduler.cpp of
 * casys-kaist/glet); the paper does not mention them. Half of a rate below 125 a second is added, a
 * fifth of a larger one. A target stays until the next one is more than 5 % or 10 a second above
 * it, or more than 10 % below.
 *
 * <p>Deviation: the authors' code adds services whose targets rise to the plan in use, and plans
 * all again where one falls; here all are planned again.
 */
final class RateRoom implements Targets {
  private static final double SMALL_PER_SECOND = 125;
  private static final double SMALL_ROOM = 1.5;
  private static final double ROOM = 1.2;
  private static final double UP = 1.05;
  private static final double UP_PER_SECOND = 10;
  private static final double DOWN = 0.9;

  private final SortedMap<String, Double> targets = new TreeMap<>();

  @Override
  public SortedMap<String, Double> of(SortedMap<String, Double> observed) {
    observed.forEach((service, rate) -> {
      double next = rate * (rate < SMALL_PER_SECOND ? SMALL_ROOM : ROOM);
      targets.merge(service, next, RateRoom::moved);
    });
    return new TreeMap<>(targets);
  }

  private static double moved(double target, double next) {
    boolean up = next > UP * target || next > target + UP_PER_SECOND;
    return up || next < DOWN * target ? next : target;
  }
}
