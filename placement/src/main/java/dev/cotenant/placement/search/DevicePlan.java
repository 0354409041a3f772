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
  private final List<PackedDevice> all = new ArrayList<>();

  /** One device and the services on it. */
  private record PackedDevice(Bin bin, List<String> names) {
    PackedDevice copy() {
      return new PackedDevice(bin.copy(), new ArrayList<>(names));
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
      all.add(new PackedDevice(bin, names));
    }
  }

  /** Gives up devices beyond the number that there are; the services that lose their place. */
  List<String> limit() {
    int most = catalogue.type().maxCount();
    if (all.size() <= most) {
      return List.of();
    }
    List<PackedDevice> sorted = new ArrayList<>(all);
    sorted.sort(
        Comparator.comparingInt((PackedDevice device) -> -device.bin().size())
            .thenComparingInt(device -> -device.bin().units())
            .thenComparing(device -> device.names().toString()));
    TreeSet<String> removed = new TreeSet<>();
    sorted.subList(most, sorted.size()).forEach(device -> removed.addAll(device.names()));
    all.clear();
    all.addAll(sorted.subList(0, most));
    removed.forEach(this::remove);
    all.removeIf(device -> device.names().isEmpty());
    List<String> small = new ArrayList<>(removed);
    small.sort(
        Comparator.comparingInt(
                (String name) -> catalogue.parts(name) * groups.alone(catalogue.kind(name)))
            .thenComparing(name -> name));
    small.removeIf(this::place);
    return small;
  }

  private void remove(String service) {
    for (PackedDevice device : all) {
      for (int i = device.names().size() - 1; i >= 0; i--) {
        if (device.names().get(i).equals(service)) {
          device.bin().removeAt(i);
          String last = device.names().removeLast();
          if (i < device.names().size()) {
            device.names().set(i, last);
          }
        }
      }
    }
  }

  /** Finds a place for all parts of a service, or leaves everything as it is. */
  boolean place(String service) {
    if (!catalogue.takes(service)) {
      return false;
    }
    List<PackedDevice> before = all.stream().map(PackedDevice::copy).toList();
    for (int part = 0; part < catalogue.parts(service); part++) {
      if (!placePart(service)) {
        all.clear();
        all.addAll(before);
        return false;
      }
    }
    return true;
  }

  private boolean placePart(String service) {
    int kind = catalogue.kind(service);
    PackedDevice best = null;
    int least = Groups.TOO_MANY;
    for (PackedDevice device : all) {
      int units = device.bin().with(kind);
      if (units != Groups.TOO_MANY && units - device.bin().units() < least) {
        least = units - device.bin().units();
        best = device;
      }
    }
    if (best == null) {
      if (all.size() >= catalogue.type().maxCount()) {
        return false;
      }
      best = new PackedDevice(new Bin(groups), new ArrayList<>());
      all.add(best);
    }
    best.bin().add(kind);
    best.names().add(service);
    return true;
  }

  /** The devices with shares and batches. */
  List<PlannedGpu> gpus(Map<String, Service> services) {
    List<PlannedGpu> gpus = new ArrayList<>();
    for (PackedDevice device : all) {
      int[] members = device.bin().members();
      groups.evaluate(members, members.length);
      List<Partition> partitions = new ArrayList<>();
      for (int i = 0; i < members.length; i++) {
        String name = device.names().get(i);
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
