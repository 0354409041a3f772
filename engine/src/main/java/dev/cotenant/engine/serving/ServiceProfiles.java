package dev.cotenant.engine.serving;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.engine.serving.ServiceProfileStore.Stored;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ProfileFile;
import dev.cotenant.interference.profile.ProfileText;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The stored profiles of all namespaces, in memory. Those of a namespace come before those of the
 * whole cluster, and these before the built-in ones. While the store is down the last ones stay.
 * Safe for use by several threads.
 */
public final class ServiceProfiles {
  /** The namespace of profiles that count in all of them. */
  public static final String EVERY_NAMESPACE = "";

  private static final ProfileBook NOTHING = new ProfileBook(List.of(), List.of(), List.of());
  private static final Known NONE = new Known(Long.MIN_VALUE, Map.of(), Map.of(), NOTHING);

  private final ServiceProfileStore store;
  private final ProfileBook builtIn = ProfileBook.builtIn();
  private volatile Known known = NONE;

  private record Key(String namespace, String name, String device) {}

  /** What was stored, at a state of the store. */
  private record Known(
      long state,
      Map<String, ProfileBook> books,
      Map<Key, WorkloadProfile> workloads,
      ProfileBook everywhere) {}

  /** Knows nothing until it is refreshed. */
  public ServiceProfiles(ServiceProfileStore store) {
    this.store = store;
  }

  /**
   * Reads the stored profiles again where they changed.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when the store cannot be reached
   */
  public synchronized void refresh() {
    long state = store.state();
    if (state != known.state) {
      known = read(state, store.all());
    }
  }

  private static Known read(long state, List<Stored> stored) {
    Map<String, ProfileBook> books = new HashMap<>();
    stored.stream()
        .collect(
            Collectors.groupingBy(
                Stored::namespace, Collectors.mapping(Stored::line, Collectors.joining("\n"))))
        .forEach((namespace, lines) ->
            books.put(
                namespace, ProfileFile.parse("the store", ProfileText.FIRST_LINE + "\n" + lines)));
    Map<Key, WorkloadProfile> workloads = new HashMap<>();
    books.forEach((namespace, book) ->
        book.workloads()
            .forEach(one -> workloads.put(new Key(namespace, one.name(), one.device()), one)));
    return new Known(state, books, workloads, books.getOrDefault(EVERY_NAMESPACE, NOTHING));
  }

  /** Whether no workload is profiled, which is quickly said. */
  boolean isEmpty() {
    return known.workloads.isEmpty();
  }

  /** What counts in a namespace, the built-in profiles included. */
  public ProfileBook book(String namespace) {
    Known now = known;
    return now.books.getOrDefault(namespace, NOTHING).plus(now.everywhere).plus(builtIn);
  }

  /** The stored profile of a service on a device; never a built-in one. */
  Optional<WorkloadProfile> of(String namespace, String name, DeviceId device) {
    Known now = known;
    WorkloadProfile own = now.workloads.get(new Key(namespace, name, device.value()));
    return Optional.ofNullable(
        own == null ? now.workloads.get(new Key(EVERY_NAMESPACE, name, device.value())) : own);
  }

  /** A device's coefficients as they count in a namespace. */
  Optional<DeviceProfile> device(String namespace, DeviceId device) {
    Known now = known;
    return now.books
        .getOrDefault(namespace, NOTHING)
        .device(device.value())
        .or(() -> now.everywhere.device(device.value()))
        .or(() -> builtIn.device(device.value()));
  }
}
