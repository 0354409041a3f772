package dev.cotenant.engine.serving;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.engine.serving.ServiceProfileStore.Stored;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ProfileFile;
import dev.cotenant.interference.profile.ProfileText;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * The stored profiles of all namespaces, in memory. Profiles of a namespace precede those of the
 * whole cluster, which precede the built-in ones. While the store is down the last ones stay. Safe
 * for use by several threads.
 */
public final class ServiceProfiles implements ProfileSource {
  /** Namespace of profiles that apply to all namespaces. */
  public static final String EVERY_NAMESPACE = "";

  private static final ProfileBook NOTHING = new ProfileBook(List.of(), List.of(), List.of());
  private static final Known NONE = new Known(Long.MIN_VALUE, Map.of(), Map.of());

  private final ServiceProfileStore store;
  private final BiConsumer<Stored, String> unreadable;
  private final ProfileBook builtIn = ProfileBook.builtIn();
  private volatile Known known = NONE;

  private record Key(String namespace, String name, String device) {}

  /** Lines of a namespace, and the readable ones as profiles. */
  private record Part(List<Stored> stored, ProfileBook book) {}

  /** Stored profiles at one state of the store. */
  private record Known(long state, Map<String, Part> parts, Map<Key, WorkloadProfile> workloads) {
    ProfileBook book(String namespace) {
      Part part = parts.get(namespace);
      return part == null ? NOTHING : part.book;
    }
  }

  /**
   * Knows nothing until it is refreshed.
   *
   * @param unreadable hears of each stored line that cannot be read and why, once for each change
   *     of its namespace; the line is left out
   */
  public ServiceProfiles(ServiceProfileStore store, BiConsumer<Stored, String> unreadable) {
    this.store = store;
    this.unreadable = unreadable;
  }

  /**
   * Reads the stored profiles again where they changed, those of other namespaces left as they are.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when the store cannot be reached
   */
  public synchronized void refresh() {
    long state = store.state();
    if (state != known.state) {
      known = read(state, store.all());
    }
  }

  private Known read(long state, List<Stored> stored) {
    Map<String, List<Stored>> lines =
        stored.stream().collect(Collectors.groupingBy(Stored::namespace));
    Map<String, Part> parts = new HashMap<>();
    lines.forEach((namespace, own) -> {
      Part before = known.parts.get(namespace);
      parts.put(namespace, before != null && before.stored.equals(own) ? before : part(own));
    });
    Map<Key, WorkloadProfile> workloads = new HashMap<>();
    parts.forEach((namespace, part) ->
        part.book
            .workloads()
            .forEach(one -> workloads.put(new Key(namespace, one.name(), one.device()), one)));
    return new Known(state, parts, workloads);
  }

  /** Line by line: one that cannot be read is reported and left out. */
  private Part part(List<Stored> stored) {
    List<DeviceProfile> devices = new ArrayList<>();
    List<WorkloadProfile> workloads = new ArrayList<>();
    for (Stored one : stored) {
      try {
        ProfileBook book =
            ProfileFile.parse("the store", ProfileText.FIRST_LINE + "\n" + one.line());
        devices.addAll(book.devices());
        workloads.addAll(book.workloads());
      } catch (InputException e) {
        unreadable.accept(one, String.valueOf(e.getMessage()));
      }
    }
    return new Part(stored, new ProfileBook(devices, workloads, List.of()));
  }

  @Override
  public boolean isEmpty() {
    return known.workloads.isEmpty();
  }

  /** What counts in a namespace, the built-in profiles included. */
  public ProfileBook book(String namespace) {
    Known now = known;
    return now.book(namespace).plus(now.book(EVERY_NAMESPACE)).plus(builtIn);
  }

  @Override
  public Optional<WorkloadProfile> workload(String namespace, String name, DeviceId device) {
    Known now = known;
    WorkloadProfile own = now.workloads.get(new Key(namespace, name, device.value()));
    return Optional.ofNullable(
        own == null ? now.workloads.get(new Key(EVERY_NAMESPACE, name, device.value())) : own);
  }

  @Override
  public Optional<DeviceProfile> device(String namespace, DeviceId device) {
    Known now = known;
    return now.book(namespace)
        .device(device.value())
        .or(() -> now.book(EVERY_NAMESPACE).device(device.value()))
        .or(() -> builtIn.device(device.value()));
  }
}
