package dev.cotenant.placement.glet;

import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.Turn;
import java.util.ArrayList;
import java.util.List;

/**
 * A gpu-let.
 *
 * @param size its share
 * @param seats those that take turns in it; none while it is free
 */
record Let(Size size, List<Seat> seats) {
  Let {
    seats = List.copyOf(seats);
  }

  static Let free(Size size) {
    return new Let(size, List.of());
  }

  boolean isFree() {
    return seats.isEmpty();
  }

  boolean seats(Tenant tenant) {
    return seats.stream().anyMatch(seat -> seat.tenant() == tenant);
  }

  Let with(Seat more) {
    List<Seat> all = new ArrayList<>(seats);
    all.add(more);
    return new Let(size, all);
  }

  /** The part of its time that its rates take at the least, were it alone on the GPU. */
  double load() {
    double load = 0;
    for (Seat seat : seats) {
      load += seat.perSecond() / seat.tenant().mostPerSecond(size);
    }
    return load;
  }

  Partition partition() {
    return new Partition(
        size.permille(),
        seats.stream()
            .map(seat -> new Turn(seat.tenant().name(), seat.batch(), seat.perSecond()))
            .toList());
  }
}
