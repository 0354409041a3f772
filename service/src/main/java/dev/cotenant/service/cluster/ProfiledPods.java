package dev.cotenant.service.cluster;

import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.inventory.GrantReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Pods that were alone for their whole profile time, once each. For one thread. */
final class ProfiledPods {
  /** Divisor of the time: its first part is left out, since start-up is not the steady state. */
  private static final int SETTLING_PART = 5;

  /** Time after the end in which samples may still arrive. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Pods with a complete measurement, by uid. */
  private final Set<String> done = new HashSet<>();

  /**
   * A pod and the time in which it was alone and had settled.
   *
   * @param from the end of its start-up
   * @param to the end of its profile time
   */
  record Profiled(Holding held, Instant from, Instant to) {}

  /** Those whose time is over and that are not {@link #done}. */
  List<Profiled> due(Collection<Holding> granted, Instant now) {
    List<Profiled> due = new ArrayList<>();
    Set<String> present = new HashSet<>();
    for (Holding held : granted) {
      Duration time = GrantReader.profileTime(held.pod());
      Instant start = held.pod().life().startedAt();
      if (time.isPositive() && start != null) {
        present.add(held.pod().uid());
        Instant end = start.plus(time);
        if (isOver(held, end, now) && !done.contains(held.pod().uid())) {
          due.add(new Profiled(held, start.plus(time.dividedBy(SETTLING_PART)), end));
        }
      }
    }
    done.retainAll(present);
    return due;
  }

  private static boolean isOver(Holding held, Instant end, Instant now) {
    Instant alone = held.aloneUntil();
    return alone != null
        && !alone.isBefore(end) // else neighbours may have come before
        && !now.isBefore(end)
        && now.isBefore(end.plus(PATIENCE));
  }

  /** Marks a pod's measurement as finished. */
  void done(Profiled profiled) {
    done.add(profiled.held.pod().uid());
  }
}
