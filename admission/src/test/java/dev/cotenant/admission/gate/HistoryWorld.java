package dev.cotenant.admission.gate;

import dev.cotenant.admission.TestPods;
import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.history.Call;
import dev.cotenant.admission.history.Call.Unanswered;
import dev.cotenant.admission.history.Call.Wanted;
import dev.cotenant.admission.history.History;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.reservation.Confirmation;
import dev.cotenant.admission.reservation.Reservation.BoundPod;
import dev.cotenant.admission.reservation.Reservation.RequestKey;
import dev.cotenant.admission.reservation.ReservationOutcome;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.admission.reservation.StoreFailedException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** What callers of one history call. Pods name no model, so that each gets a whole GPU. */
abstract class HistoryWorld implements AutoCloseable {
  static final List<String> GPUS = List.of("GPU-a", "GPU-b");

  final History history = new History();

  /** Reservations that somebody knows, by their holder. */
  final Map<String, String> reserved = new ConcurrentHashMap<>();

  /** Holders who were not answered, and may call again. */
  private final Queue<String> unanswered = new ConcurrentLinkedQueue<>();

  /** Whom a caller happens to reach. */
  abstract Reservations reservations(Random random);

  /** Makes one call of its own choice. */
  void call(String caller, Random random) {
    List<String> known = List.copyOf(reserved.keySet());
    int which = known.isEmpty() ? 0 : random.nextInt(8);
    String holder = known.isEmpty() ? "" : known.get(random.nextInt(known.size()));
    switch (which) {
      case 0, 1, 2 -> reserve(caller, random);
      case 3, 4 -> confirm(holder, holder + "-pod-" + random.nextInt(2), random);
      case 5 -> reserve(Objects.requireNonNullElse(unanswered.poll(), caller), random);
      default -> release(holder, random);
    }
  }

  /** Something happens that no caller calls. */
  abstract void disturb(Random random);

  /** Everything is settled, and what is stored becomes a part of the history. */
  abstract void end();

  @Override
  public abstract void close();

  static Colocatable pod(String name) {
    return TestPods.of("team-a", name, null, 1);
  }

  private void reserve(String holder, Random random) {
    Reservations replica = reservations(random);
    history.make(() ->
        answered(
            new Unanswered(Wanted.GRANT, holder, ""),
            () ->
                switch (replica.reserve(
                    new Reservations.Request(new RequestKey("c", holder, "f"), pod(holder)))) {
                  case ReservationOutcome.Reserved(var made) -> {
                    reserved.put(holder, made.id());
                    yield new Call.Granted(holder, made.granted().grants().getFirst().gpuUuid());
                  }
                  case ReservationOutcome.Refused _ -> refused(holder);
                  case ReservationOutcome.KeyReused _ -> throw new AssertionError(holder);
                }));
  }

  /** What a refusal by a replica says. */
  abstract Call refused(String holder);

  private void confirm(String holder, String pod, Random random) {
    Reservations replica = reservations(random);
    String id = reserved.getOrDefault(holder, "");
    history.make(() ->
        answered(
            new Unanswered(Wanted.BIND, holder, pod),
            () ->
                switch (replica.confirm(id, null, new BoundPod("team-a", pod, pod))) {
                  case Confirmation.Confirmed _ -> new Call.Bound(holder, pod);
                  case Confirmation.OtherPod _ -> new Call.BoundToOther(holder, pod);
                  case Confirmation.Expired _, Confirmation.Unknown _ -> new Call.NotBound(holder);
                  case Confirmation.Changed _ -> throw new AssertionError(holder);
                }));
  }

  private void release(String holder, Random random) {
    Reservations replica = reservations(random);
    String id = reserved.getOrDefault(holder, "");
    history.make(() ->
        answered(
            new Unanswered(Wanted.RELEASE, holder, ""),
            () -> replica.release(id) ? new Call.Ended(holder) : new Call.NothingReleased(holder)));
  }

  private Call answered(Unanswered otherwise, Supplier<Call> call) {
    try {
      return call.get();
    } catch (NotLeadingException | StoreFailedException _) {
      if (otherwise.wanted() == Wanted.GRANT) {
        unanswered.add(otherwise.holder());
      }
      return otherwise;
    }
  }
}
