package dev.cotenant.lab.requests;

import java.util.ArrayList;
import java.util.List;

/** The partitions of one service. */
final class Routes {
  /*
   * One queue a service, from which partitions take their batches [gpu-lets, section 5, and its
   * authors' code], is not possible with queues by partition. Close to it: a request goes to the first
   * partition that is free, else where fewest wait for the planned rate.
   */
  private final List<Route> routes = new ArrayList<>();

  private record Route(PartitionServer server, int turn, double requestsPerSecond) {
    /** Seconds until a newcomer's turn, at the planned rate. */
    double seconds() {
      return server.isFree() ? 0 : (server.queued(turn) + 1) / requestsPerSecond;
    }
  }

  void add(PartitionServer server, int turn, double requestsPerSecond) {
    routes.add(new Route(server, turn, requestsPerSecond));
  }

  void send(long since, int tag) {
    Route chosen = routes.getFirst();
    double least = routes.size() == 1 ? 0 : chosen.seconds();
    for (int i = 1; i < routes.size() && least > 0; i++) {
      double seconds = routes.get(i).seconds();
      if (seconds < least) {
        least = seconds;
        chosen = routes.get(i);
      }
    }
    chosen.server().add(chosen.turn(), since, tag);
  }

  int queued() {
    int queued = 0;
    for (Route route : routes) {
      queued += route.server().queued(route.turn());
    }
    return queued;
  }
}
