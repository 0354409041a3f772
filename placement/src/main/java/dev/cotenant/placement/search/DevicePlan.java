package dev.cotenant.placement.search;

import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Services on devices of one kind, by name, within the number that there are. */
final class DevicePlan {
  private final Catalogue catalogue;
  private final Groups groups;
  private final List<Seats> all = new ArrayList<>();

  /** One device and who is on it. */
  private record Seats(Bin bin, List<String> names) {
    Seats copy() {
      return new Seats(bin.copy(), new ArrayList<>(names));
    }
  }

  /** No service yet. */
  DevicePlan(Catalogue catalogue) {
    this.catalogue = catalogue;
    groups = catalogue.groups();
  }

  /** Gives each place of a packing to a service of its kind, in order of their names. */
  DevicePlan(Catalogue catalogue, Packing packing, List<String> services) {
    this(catalogue);
    Map<Integer, Deque<String>> waiting = new HashMap<>();
    for (String service : services) {
      Deque<String> queue =
          waiting.computeIfAbsent(catalogue.kind(service), kind -> new ArrayDeque<>());
      for (int part = 0; part < catalogue.parts(service); part++) {
        queue.add(service);
      }
    }
    for (Bin bin : packing.bins) {
      List<String> names = new ArrayList<>();
      for (int kind : bin.members()) {
        names.add(waiting.getOrDefault(kind, new ArrayDeque<>()).remove());
      }
      all.add(new Seats(bin, names));
    }
  }

  int size() {
    return all.size();
  }

  /** Gives up devices beyond the number that there are; whom they leave without a place. */
  List<String> limit() {
    int most = catalogue.type().maxCount();
    if (all.size() <= most) {
      return List.of();
    }
    List<Seats> kept = new ArrayList<>(all);
    kept.sort(
        Comparator.comparingInt((Seats seats) -> -seats.bin().size())
            .thenComparingInt(seats -> -seats.bin().units())
            .thenComparing(seats -> seats.names().toString()));
    TreeSet<String> gone = new TreeSet<>();
    kept.subList(most, kept.size()).forEach(seats -> gone.addAll(seats.names()));
    all.clear();
    all.addAll(kept.subList(0, most));
    gone.forEach(this::remove);
    all.removeIf(seats -> seats.names().isEmpty());
    List<String> small = new ArrayList<>(gone);
    small.sort(
        Comparator.comparingInt(
                (String name) -> catalogue.parts(name) * groups.alone(catalogue.kind(name)))
            .thenComparing(name -> name));
    small.removeIf(this::seat);
    return small;
  }

  private void remove(String service) {
    for (Seats seats : all) {
      for (int i = seats.names().size() - 1; i >= 0; i--) {
        if (seats.names().get(i).equals(service)) {
          seats.bin().removeAt(i);
          String last = seats.names().removeLast();
          if (i < seats.names().size()) {
            seats.names().set(i, last);
          }
        }
      }
    }
  }

  /** Finds a place for all parts of a service, or leaves everything as it is. */
  boolean seat(String service) {
    if (!catalogue.takes(service)) {
      return false;
    }
    List<Seats> before = all.stream().map(Seats::copy).toList();
    for (int part = 0; part < catalogue.parts(service); part++) {
      if (!seatPart(service)) {
        all.clear();
        all.addAll(before);
        return false;
      }
    }
    return true;
  }

  private boolean seatPart(String service) {
    int kind = catalogue.kind(service);
    Seats best = null;
    int least = Groups.TOO_MANY;
    for (Seats seats : all) {
      int units = seats.bin().with(kind);
      if (units != Groups.TOO_MANY && units - seats.bin().units() < least) {
        least = units - seats.bin().units();
        best = seats;
      }
    }
    if (best == null) {
      if (all.size() >= catalogue.type().maxCount()) {
        return false;
      }
      best = new Seats(new Bin(groups), new ArrayList<>());
      all.add(best);
    }
    best.bin().add(kind);
    best.names().add(service);
    return true;
  }

  /** The devices with shares and batches. */
  List<PlannedGpu> gpus(Map<String, Service> services) {
    List<PlannedGpu> gpus = new ArrayList<>();
    for (Seats seats : all) {
      int[] members = seats.bin().members();
      groups.evaluate(members, members.length);
      List<Partition> partitions = new ArrayList<>();
      for (int i = 0; i < members.length; i++) {
        String name = seats.names().get(i);
        Service service = services.get(name);
        if (service == null) {
          throw new IllegalStateException("no service " + name);
        }
        double rate = service.requestsPerSecond() / catalogue.parts(name);
        Turn turn = new Turn(name, groups.batch(i), rate);
        partitions.add(Partition.of(groups.needs().unit().times(groups.units(i)), turn));
      }
      gpus.add(PlannedGpu.serving(catalogue.type().id(), partitions));
    }
    return gpus;
  }
}
