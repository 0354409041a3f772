package dev.cotenant.service.overload;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Connections, all and by the address of their peer. Not thread safe. */
final class ConnectionsByPeer {
  private final Set<Connection> all = new HashSet<>();
  private final Collection<Connection> view = Collections.unmodifiableSet(all);
  private final Map<Object, Set<Connection>> byPeer = new HashMap<>();

  void add(Connection connection) {
    all.add(connection);
    byPeer.computeIfAbsent(connection.peer(), _ -> new HashSet<>()).add(connection);
  }

  /** Does nothing where the connection is not there. */
  void remove(Connection connection) {
    if (all.remove(connection)) {
      Set<Connection> ofPeer = of(connection.peer());
      ofPeer.remove(connection);
      if (ofPeer.isEmpty()) {
        byPeer.remove(connection.peer());
      }
    }
  }

  Collection<Connection> all() {
    return view;
  }

  /** The addresses of all. */
  Set<Object> peers() {
    return Collections.unmodifiableSet(byPeer.keySet());
  }

  /** Of one peer; empty where it has none. */
  Set<Connection> of(Object peer) {
    return byPeer.getOrDefault(peer, Collections.emptySet());
  }

  /** Connections of the peer with the most; empty without connections. */
  Collection<Connection> largest() {
    return byPeer.values().stream().max(Comparator.comparingInt(Set::size)).orElse(Set.of());
  }
}
