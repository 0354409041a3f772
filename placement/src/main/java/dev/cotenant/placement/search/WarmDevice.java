package dev.cotenant.placement.search;

import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** Services on devices of one kind, changed from where they run as little as is worth it. */
final class WarmDevice {
  /*
   * A device whose services no longer fit together gives away the smallest one whose going is
   * enough: to the device whose shares grow least, else through one other service that makes room
   * and goes on itself, else to a new device. Where that fails, or needs more moves than are left,
   * all stays as it was there and the device is closed to others for this time. Then, where GPUs may
   * be given back, the devices with the fewest services are emptied in the same way, if that takes
   * fewer moves than a device is worth.
   */
  private static final int SECOND_HOSTS = 24;
  private static final int EMPTYINGS = 60;

  private final Catalogue catalogue;
  private final Groups groups;
  private final WarmStart.Limits limits;
  private final Map<String, Integer> failed = new HashMap<>();
  private List<Host> hosts = new ArrayList<>();
  private int moves;
  private boolean spent;

  /**
   * A part of a service on a device.
   *
   * @param origin the device on which it runs, -1 where it runs nowhere
   * @param had its partition there
   */
  private record Assignment(String service, int kind, int origin, @Nullable Partition had) {}

  /** A device and its assignments. */
  private static final class Host {
    final Bin bin;
    final List<Assignment> assignments;
    boolean closed;

    Host(Bin bin, List<Assignment> assignments, boolean closed) {
      this.bin = bin;
      this.assignments = assignments;
      this.closed = closed;
    }

    Host copy() {
      return new Host(bin.copy(), new ArrayList<>(assignments), closed);
    }

    void add(Assignment assignment) {
      bin.add(assignment.kind());
      assignments.add(assignment);
    }

    Assignment remove(int index) {
      bin.removeAt(index);
      Assignment removed = assignments.get(index);
      Assignment last = assignments.removeLast();
      if (index < assignments.size()) {
        assignments.set(index, last);
      }
      return removed;
    }
  }

  /**
   * As they run.
   *
   * @param own services assigned to this kind of device
   * @param running devices of this kind
   */
  WarmDevice(
      Catalogue catalogue,
      SortedSet<String> own,
      List<PlannedGpu> running,
      WarmStart.Limits limits) {
    this.catalogue = catalogue;
    this.limits = limits;
    groups = catalogue.groups();
    Map<String, Integer> left = new HashMap<>();
    own.forEach(service -> left.put(service, catalogue.parts(service)));
    for (int i = 0; i < running.size(); i++) {
      hosts.add(new Host(new Bin(groups), new ArrayList<>(), false));
      for (Partition partition : running.get(i).partitions()) {
        String service = partition.turns().getFirst().service();
        if (left.merge(service, -1, Integer::sum) >= 0) {
          hosts.get(i).add(new Assignment(service, catalogue.kind(service), i, partition));
        }
      }
    }
    relieve();
    place(own, left);
    if (limits.mayGiveBack()) {
      empty();
    }
  }

  int moves() {
    return moves;
  }

  /** Services without a place for all that they need, and how many places are missing. */
  Map<String, Integer> failed() {
    return failed;
  }

  /** Whether a change was left out because no more moves were allowed. */
  boolean spent() {
    return spent;
  }

  private void relieve() {
    List<Integer> crowded = new ArrayList<>();
    for (int i = 0; i < hosts.size(); i++) {
      if (hosts.get(i).bin.units() == Groups.TOO_MANY) {
        crowded.add(i);
      }
    }
    crowded.sort(Comparator.comparingInt(i -> -aloneUnits(hosts.get(i))));
    for (int index : crowded) {
      List<Host> before = copy();
      int movesBefore = moves;
      String unplaced = relieve(index);
      if (unplaced != null || moves > limits.mostMoves()) {
        spent |= unplaced == null;
        if (unplaced != null) {
          failed.merge(unplaced, 1, Integer::sum);
        }
        hosts = before;
        moves = movesBefore;
        hosts.get(index).closed = true;
      }
    }
  }

  private int aloneUnits(Host host) {
    return host.assignments.stream().mapToInt(assignment -> groups.alone(assignment.kind())).sum();
  }

  private List<Host> copy() {
    List<Host> copy = new ArrayList<>(hosts.size());
    hosts.forEach(host -> copy.add(host.copy()));
    return copy;
  }

  /** Who has no place elsewhere; null where all fit. */
  private @Nullable String relieve(int index) {
    while (hosts.get(index).bin.units() == Groups.TOO_MANY) {
      Host host = hosts.get(index);
      int going = going(host, index);
      Assignment assignment = host.remove(going);
      if (!settle(assignment, index, true)) {
        return assignment.service();
      }
    }
    return null;
  }

  /**
   * The smallest whose going is enough, one with a place on a device in use before others; else the
   * largest.
   */
  private int going(Host host, int index) {
    int best = -1;
    int least = Integer.MAX_VALUE;
    int largest = 0;
    for (int i = 0; i < host.assignments.size(); i++) {
      int size = groups.alone(host.assignments.get(i).kind());
      if (!mayMove(host.assignments.get(i), index)) {
        continue;
      }
      Bin rest = host.bin.copy();
      rest.removeAt(i);
      if (rest.units() != Groups.TOO_MANY) {
        int wait = roomiest(host.assignments.get(i).kind(), index) < 0 ? Groups.TOO_MANY : 0;
        if (size + wait < least) {
          least = size + wait;
          best = i;
        }
      }
      largest = size > groups.alone(host.assignments.get(largest).kind()) ? i : largest;
    }
    return best < 0 ? largest : best;
  }

  /** Finds a place on another device than that; a new one where {@code mayOpen}. */
  private boolean settle(Assignment assignment, int from, boolean mayOpen) {
    int direct = roomiest(assignment.kind(), from);
    if (direct >= 0) {
      put(assignment, from, direct);
      return true;
    }
    if (limits.movePrice() < 1 && chain(assignment, from)) {
      return true;
    }
    if (!mayOpen || used() >= catalogue.type().maxCount()) {
      return false;
    }
    hosts.add(new Host(new Bin(groups), new ArrayList<>(), false));
    put(assignment, from, hosts.size() - 1);
    return true;
  }

  private long used() {
    return hosts.stream().filter(host -> !host.assignments.isEmpty()).count();
  }

  private void put(Assignment assignment, int from, int to) {
    moves += assignment.origin() < 0 || to == assignment.origin() ? 0 : 1;
    moves -= assignment.origin() < 0 || from == assignment.origin() ? 0 : 1;
    hosts.get(to).add(assignment);
  }

  /** The device in use, but that, whose shares grow least with a service; -1 without one. */
  private int roomiest(int kind, int but) {
    int best = -1;
    int least = Groups.TOO_MANY;
    for (int i = 0; i < hosts.size(); i++) {
      Host host = hosts.get(i);
      if (i == but || host.closed || host.assignments.isEmpty()) {
        continue;
      }
      int units = host.bin.with(kind);
      if (units != Groups.TOO_MANY && units - host.bin.units() < least) {
        least = units - host.bin.units();
        best = i;
      }
    }
    return best;
  }

  /** Takes the place of another service, which finds one elsewhere. */
  private boolean chain(Assignment assignment, int from) {
    int whole = groups.needs().wholeUnits();
    for (int i = 0; i < hosts.size(); i++) {
      Host host = hosts.get(i);
      if (i == from || host.closed || host.bin.units() == Groups.TOO_MANY) {
        continue;
      }
      int needed = aloneUnits(host) + groups.alone(assignment.kind()) - whole;
      for (int j = 0; j < host.assignments.size(); j++) {
        Assignment other = host.assignments.get(j);
        int freed = groups.alone(other.kind());
        if (!mayMove(other, i)
            || freed < needed
            || freed >= groups.alone(assignment.kind())
            || host.bin.trial(j, -1, assignment.kind()) == Groups.TOO_MANY) {
          continue;
        }
        int next = roomFor(other.kind(), from, i);
        if (next >= 0) {
          put(host.remove(j), i, next);
          put(assignment, from, i);
          return true;
        }
      }
    }
    return false;
  }

  /** One move per assignment, so that moves can run in the order of discovery. */
  private static boolean mayMove(Assignment assignment, int at) {
    return assignment.origin() < 0 || assignment.origin() == at;
  }

  /** Among the first devices with units enough left; -1 without one. */
  private int roomFor(int kind, int from, int but) {
    int tried = 0;
    for (int i = 0; i < hosts.size() && tried < SECOND_HOSTS; i++) {
      Host host = hosts.get(i);
      boolean may = i != from && i != but && !host.closed && !host.assignments.isEmpty();
      if (may && host.bin.units() + groups.alone(kind) <= groups.needs().wholeUnits()) {
        tried++;
        if (host.bin.with(kind) != Groups.TOO_MANY) {
          return i;
        }
      }
    }
    return -1;
  }

  private void place(SortedSet<String> own, Map<String, Integer> left) {
    List<String> waiting = new ArrayList<>(own);
    waiting.sort(
        Comparator.comparingInt((String service) -> -groups.alone(catalogue.kind(service)))
            .thenComparing(service -> service));
    for (String service : waiting) {
      int parts = Math.max(0, left.getOrDefault(service, 0));
      for (int part = 0; part < parts; part++) {
        List<Host> before = copy();
        int movesBefore = moves;
        Assignment assignment = new Assignment(service, catalogue.kind(service), -1, null);
        if (!settle(assignment, -1, true) || moves > limits.mostMoves()) {
          hosts = before;
          moves = movesBefore;
          failed.merge(service, 1, Integer::sum);
        }
      }
    }
  }

  private void empty() {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < hosts.size(); i++) {
      Host host = hosts.get(i);
      int at = i;
      boolean mayMove = host.assignments.stream().allMatch(assignment -> mayMove(assignment, at));
      boolean isWorth = host.assignments.size() * limits.movePrice() < 1;
      if (!host.closed && !host.assignments.isEmpty() && mayMove && isWorth) {
        order.add(i);
      }
    }
    order.sort(Comparator.comparingInt(i -> hosts.get(i).bin.units()));
    for (int index : order.subList(0, Math.min(EMPTYINGS, order.size()))) {
      if (!hosts.get(index).assignments.stream()
          .allMatch(assignment -> mayMove(assignment, index))) {
        continue;
      }
      List<Host> before = copy();
      int movesBefore = moves;
      boolean all = emptied(index);
      boolean worth = (moves - movesBefore) * limits.movePrice() < 1;
      if (!all || !worth || moves > limits.mostMoves()) {
        hosts = before;
        moves = movesBefore;
      }
    }
  }

  private boolean emptied(int index) {
    List<Assignment> assignments = new ArrayList<>();
    Host host = hosts.get(index);
    while (!host.assignments.isEmpty()) {
      assignments.add(host.remove(0));
    }
    assignments.sort(Comparator.comparingInt(assignment -> -groups.alone(assignment.kind())));
    for (Assignment assignment : assignments) {
      if (!settle(assignment, index, false)) {
        return false;
      }
    }
    return true;
  }

  /** The devices in the order in which they run, new ones at the end; none on those given back. */
  List<PlannedGpu> gpus(List<PlannedGpu> running, Map<String, Service> services) {
    List<PlannedGpu> gpus = new ArrayList<>();
    for (int i = 0; i < hosts.size(); i++) {
      hosts
          .get(i)
          .assignments
          .sort(Comparator.comparingInt(assignment -> position(assignment, running)));
      gpus.add(gpu(i, services));
    }
    return gpus;
  }

  private static int position(Assignment assignment, List<PlannedGpu> running) {
    return assignment.had() == null
        ? Integer.MAX_VALUE
        : running.get(assignment.origin()).partitions().indexOf(assignment.had());
  }

  private PlannedGpu gpu(int index, Map<String, Service> services) {
    Host host = hosts.get(index);
    int[] members = host.assignments.stream().mapToInt(Assignment::kind).toArray();
    int[] units = new int[members.length];
    int[] batches = new int[members.length];
    for (int i = 0; i < members.length; i++) {
      Assignment assignment = host.assignments.get(i);
      Partition had = assignment.origin() == index ? assignment.had() : null;
      int step = groups.needs().unit().permille();
      units[i] = had == null ? 0 : Math.max(1, had.share().permille() / step);
      batches[i] = had == null ? 1 : had.turns().getFirst().batch();
    }
    RunningGroup group = new RunningGroup(groups, members, units, batches);
    if (host.closed) {
      group.fill();
    } else if (members.length > 0 && !group.keeps() && !group.changeBatches() && !group.grow()) {
      group.renew();
    }
    boolean isChanged = false;
    for (int i = 0; i < members.length; i++) {
      isChanged |= units[i] != group.units(i);
    }
    List<Partition> partitions = new ArrayList<>();
    for (int i = 0; i < members.length; i++) {
      partitions.add(partition(host.assignments.get(i), group, i, isChanged, services));
    }
    return PlannedGpu.serving(catalogue.type().id(), partitions);
  }

  /** If shares change, all shares are in whole units, also those of running partitions. */
  private Partition partition(
      Assignment assignment,
      RunningGroup group,
      int member,
      boolean isChanged,
      Map<String, Service> services) {
    Service service = services.get(assignment.service());
    if (service == null) {
      throw new IllegalStateException("no service " + assignment.service());
    }
    double rate = service.requestsPerSecond() / catalogue.parts(assignment.service());
    Turn turn = new Turn(assignment.service(), group.batch(member), rate);
    Partition had = assignment.had();
    return had != null && !isChanged
        ? Partition.of(had.share(), turn)
        : Partition.of(groups.needs().unit().times(group.units(member)), turn);
  }
}
