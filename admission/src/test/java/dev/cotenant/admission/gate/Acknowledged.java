package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.reservation.Confirmation;
import dev.cotenant.admission.reservation.Reservation;
import dev.cotenant.admission.reservation.Reservation.BoundPod;
import dev.cotenant.admission.reservation.Reservation.RequestKey;
import dev.cotenant.admission.reservation.ReservationOutcome;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.admission.reservation.StoreFailedException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What callers were told of reservations, by any replica that answered, and that it stays true:
 * whoever was told that capacity is reserved has it until it lapses, is given back, or its pod
 * ends.
 */
final class Acknowledged {
  private final FakeApiServer server;
  private final Map<String, Told> byId = new TreeMap<>();
  private int requested;

  /** Held pods that took one, by its id: what they get is decided on yet. */
  private final Map<String, StoredPod> heldTakers = new TreeMap<>();

  /** GPUs that were reserved for pods that were held, by their uid. */
  private final Map<String, String> reservedFor = new TreeMap<>();

  /** Pods of which nobody knows whether what they took was given back. */
  private final Set<String> unsure = new HashSet<>();

  /** How often whoever was asked did not know whether it had lost the Lease, or the answer. */
  int unanswered;

  /** How many reservations were acknowledged. */
  int made;

  /** How often a new leader was asked for one of them. */
  int found;

  /** What a caller knows of its reservation. */
  record Told(
      Reservation reservation, RequestKey key, Colocatable requested, @Nullable StoredPod pod) {}

  Acknowledged(FakeApiServer server) {
    this.server = server;
  }

  /** Asks for capacity; what comes of it when nobody answers, the caller does not know. */
  Optional<Told> reserve(Reservations replica, Colocatable wanted) {
    RequestKey key = new RequestKey("caller-" + requested % 2, "key-" + requested++ / 2, "f");
    return reserve(replica, key, wanted);
  }

  private Optional<Told> reserve(Reservations replica, RequestKey key, Colocatable wanted) {
    try {
      if (replica.reserve(new Reservations.Request(key, wanted))
          instanceof ReservationOutcome.Reserved(Reservation reservation)) {
        Told told = new Told(reservation, key, wanted, null);
        if (byId.putIfAbsent(reservation.id(), told) == null) {
          made++;
        }
        return Optional.of(told);
      }
    } catch (NotLeadingException | StoreFailedException _) {
      // It may repeat the request, or not.
    }
    return Optional.empty();
  }

  /** A pod takes a reservation: it is created on the reserved node, then that is confirmed. */
  void confirm(Reservations replica, Told told, Instant now) {
    String node = told.reservation().granted().grants().getFirst().node();
    StoredPod pod = new StoredPod("uid-of-" + told.reservation().id(), told.requested(), now);
    pod.annotations.put(CotenantAnnotations.ADMISSION_ID, told.reservation().id());
    pod.node = node;
    server.create(pod);
    try {
      var identity =
          new BoundPod(pod.identity.namespace(), String.valueOf(pod.identity.name()), pod.uid);
      if (replica.confirm(told.reservation().id(), null, identity)
          instanceof Confirmation.Confirmed(Reservation bound)) {
        byId.put(bound.id(), new Told(bound, told.key(), told.requested(), pod));
        return;
      }
    } catch (NotLeadingException | StoreFailedException _) {
      // It gives up, and counts on nothing: the capacity may have become the pod's.
    }
    byId.remove(told.reservation().id());
    server.remove(pod);
  }

  /** A pod takes a reservation that is held, or is elsewhere; its caller counts on nothing. */
  void confirmAmiss(Reservations replica, Told told, StoredPod pod) {
    String id = told.reservation().id();
    byId.remove(id);
    if (pod.node == null) {
      heldTakers.put(id, pod);
      reservedFor.put(pod.uid, told.reservation().granted().grants().getFirst().gpuUuid());
    }
    try {
      var name = String.valueOf(pod.identity.name());
      replica.confirm(id, null, new BoundPod(pod.identity.namespace(), name, pod.uid));
    } catch (NotLeadingException | StoreFailedException _) {
      // Whatever became of it.
    }
  }

  /** Whether a pod that was held has got the GPU that was reserved for it. */
  boolean hasTaken(StoredPod pod) {
    return pod.annotation(CotenantAnnotations.ASSIGNED_GPU).equals(reservedFor.get(pod.uid));
  }

  /** Gives back what some pod took, which runs on without. */
  void releaseTaken(Reservations replica, Random random) {
    heldTakers.values().removeIf(pod -> !pod.gates.contains(WatchedPod.GATE));
    Map<String, StoredPod> taken = new TreeMap<>(heldTakers);
    boolean onlyHeld = !heldTakers.isEmpty() && random.nextInt(3) > 0;
    byId.values().stream()
        .filter(told -> told.pod() != null && !onlyHeld)
        .forEach(told -> taken.put(told.reservation().id(), told.pod()));
    if (taken.isEmpty()) {
      return;
    }
    String id = List.copyOf(taken.keySet()).get(random.nextInt(taken.size()));
    byId.remove(id);
    heldTakers.remove(id);
    try {
      replica.release(id);
    } catch (NotLeadingException | StoreFailedException _) {
      unsure.add(Objects.requireNonNull(taken.get(id)).uid);
      unanswered++;
    }
  }

  boolean isUnsure(StoredPod pod) {
    return unsure.contains(pod.uid);
  }

  /** Gives one back that no pod has taken; from then on its caller counts on nothing. */
  void release(Reservations replica, Told told) {
    byId.remove(told.reservation().id());
    try {
      replica.release(told.reservation().id());
    } catch (NotLeadingException | StoreFailedException _) {
      // It lapses.
    }
  }

  /** Those that hold capacity by what their callers were told. */
  List<Told> live(Instant now) {
    List<Told> live = new ArrayList<>();
    for (Told told : byId.values()) {
      StoredPod pod = told.pod();
      boolean holds =
          pod == null
              ? now.isBefore(told.reservation().expiresAt())
              : server.pods.containsKey(pod.uid) && pod.isLive();
      if (holds) {
        live.add(told);
      }
    }
    return live;
  }

  List<Told> unbound(Instant now) {
    return live(now).stream().filter(told -> told.pod() == null).toList();
  }

  boolean isTakenBy(StoredPod pod) {
    return byId.values().stream().anyMatch(told -> told.pod() == pod);
  }

  /** A replica that decides knows every one of them, and gives it again to whoever asks again. */
  void verifyKnownTo(Reservations replica, Instant now) {
    for (Told told : live(now)) {
      String id = told.reservation().id();
      try {
        assertThat(replica.find(id))
            .as("reservation %s", id)
            .hasValueSatisfying(seen -> assertThat(seen.state()).isNotEqualTo(GrantState.RELEASED));
        Optional<Told> again = reserve(replica, told.key(), told.requested());
        again.ifPresent(same -> assertThat(same.reservation().id()).isEqualTo(id));
        found++;
      } catch (NotLeadingException _) {
        return;
      }
    }
  }
}
