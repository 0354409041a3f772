package dev.cotenant.service.gate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.TestPods;
import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.history.Call;
import dev.cotenant.admission.history.Call.Unanswered;
import dev.cotenant.admission.history.Call.Wanted;
import dev.cotenant.admission.history.History;
import dev.cotenant.admission.reservation.Reservation;
import dev.cotenant.admission.reservation.Reservation.RequestKey;
import dev.cotenant.admission.reservation.ReservationOutcome;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.admission.reservation.StoreFailedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Callers who reserve GPUs beside the pods, with a history of what they were answered and of what
 * became of the pods. The pods' part is the API server's truth.
 */
final class ChaosReservations implements AutoCloseable {
  private static final int CALLERS = 2;

  /** Of one history; each call without an answer may double the orders to search. */
  private static final int MAX_CALLS = 10;

  private static final int MAX_HELD = 2;

  /** Unconfirmed reservations end after two minutes. */
  private static final Duration SURE = Duration.ofSeconds(100);

  private final List<Reservations> replicas;
  private final ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
  private final Semaphore idle = new Semaphore(CALLERS);
  private final Map<String, Held> open = new ConcurrentHashMap<>();
  private final Set<String> busy = ConcurrentHashMap.newKeySet();
  private final List<Future<?>> made = new ArrayList<>();
  private final Set<Unanswered> lost = ConcurrentHashMap.newKeySet();
  private final Set<String> granted = new HashSet<>();
  private History history = new History();
  private volatile boolean clocksMove;
  private long looked;
  private int holders;

  /** A holder who may have a reservation; without an id where nobody was told. */
  private record Held(String id, long since) {}

  /**
   * @param replicas to whom callers go, one or the other
   */
  ChaosReservations(List<Reservations> replicas) {
    this.replicas = List.copyOf(replicas);
  }

  /** Begins a history, in which nobody holds a reservation. */
  void begin() {
    history = new History();
    made.clear();
    lost.clear();
    granted.clear();
    clocksMove = false;
    looked = history.now();
  }

  /** Whether clocks differ, or did, so that reservations end when nobody expects it. */
  boolean mayExpire() {
    return clocksMove;
  }

  /** From now on reservations may have expired at any time. */
  void clocksMove() {
    clocksMove = true;
    open.keySet().forEach(holder -> mayEnd(holder, history.now()));
  }

  /** Looks at all pods: what was not granted before was granted since the last look. */
  List<ObjectNode> look(Supplier<List<ObjectNode>> list) {
    long now = history.now();
    List<ObjectNode> pods = list.get();
    for (ObjectNode pod : pods) {
      String name = pod.at("/metadata/name").asText();
      if (ChaosWorld.isGranted(pod) && granted.add(name)) {
        history.add(new Call.Granted(name, ChaosWorld.assigned(pod, "node")), looked);
      }
    }
    looked = now;
    return pods;
  }

  /** A pod ends. */
  void removing(String pod, Runnable removal) {
    history.make(() -> {
      removal.run();
      return new Call.Released(pod);
    });
  }

  /** Somebody may call. */
  void step(Random random) {
    long now = System.nanoTime();
    open.forEach((holder, held) -> {
      if (now - held.since() > SURE.toNanos()) {
        mayEnd(holder, history.now());
      }
    });
    if (made.size() < MAX_CALLS && random.nextInt(8) == 0) {
      Reservations replica = replicas.get(random.nextInt(replicas.size()));
      if (open.size() < MAX_HELD && random.nextInt(3) > 0) {
        String holder = "r-" + holders++;
        call(holder, () -> reserve(replica, holder));
      } else {
        open.keySet().stream().findAny().ifPresent(holder -> give(replica, holder));
      }
    }
  }

  /** Whether everybody was answered and nobody holds anything; the others call who leads. */
  boolean isSettled(Optional<Reservations> leader) {
    leader.ifPresent(replica -> open.keySet().forEach(holder -> give(replica, holder)));
    return open.isEmpty() && idle.availablePermits() == CALLERS;
  }

  /** How many reservations callers were told of. */
  int answered() {
    return (int)
        entries().stream()
            .filter(one ->
                one.call() instanceof Call.Granted(String holder, String _)
                    && holder.startsWith("r-"))
            .count();
  }

  /** What was called and answered so far. */
  List<History.Entry> told() {
    return history.entries();
  }

  /** The same; no caller is on its way. */
  List<History.Entry> entries() {
    made.forEach(one -> assertThat(one).succeedsWithin(Duration.ZERO));
    return history.entries();
  }

  private void give(Reservations replica, String holder) {
    call(
        holder,
        () -> {
          Held held = open.get(holder);
          if (held != null && held.id().isEmpty()) {
            reserve(replica, holder);
          } else if (held != null) {
            release(replica, holder, held.id());
          }
        });
  }

  /** One call of a holder at a time, and at most as many as there are callers. */
  private void call(String holder, Runnable call) {
    if (!busy.contains(holder) && idle.tryAcquire()) {
      busy.add(holder);
      made.add(
          threads.submit(() -> {
            try {
              call.run();
            } finally {
              busy.remove(holder);
              idle.release();
            }
          }));
    }
  }

  private void reserve(Reservations replica, String holder) {
    long from = history.now();
    long since = System.nanoTime();
    var request =
        new Reservations.Request(
            new RequestKey("chaos", holder, "f"), TestPods.of("team-a", holder, null, 1));
    make(
        new Unanswered(Wanted.GRANT, holder, ""),
        () ->
            switch (replica.reserve(request)) {
              case ReservationOutcome.Reserved(Reservation made) -> {
                open.put(holder, new Held(made.id(), since));
                yield new Call.Granted(holder, made.granted().grants().getFirst().node());
              }
              case ReservationOutcome.Refused _ -> {
                open.remove(holder);
                yield new Call.RefusedPerhapsWrongly(holder);
              }
              case ReservationOutcome.KeyReused _ -> throw new AssertionError(holder);
            });
    if (clocksMove) {
      mayEnd(holder, from); // perhaps before the answer
    }
  }

  private void release(Reservations replica, String holder, String id) {
    make(
        new Unanswered(Wanted.RELEASE, holder, ""),
        () -> {
          boolean was = replica.release(id);
          open.remove(holder);
          return was ? new Call.Ended(holder) : new Call.NothingReleased(holder);
        });
  }

  /** That the same call had no answer once more adds nothing: the first may happen until then. */
  private void make(Unanswered otherwise, Supplier<Call> call) {
    long from = history.now();
    try {
      history.add(call.get(), from);
    } catch (NotLeadingException | StoreFailedException _) {
      if (otherwise.wanted() == Wanted.GRANT) {
        open.putIfAbsent(otherwise.holder(), new Held("", System.nanoTime()));
      }
      if (lost.add(otherwise)) {
        history.add(otherwise, from);
      }
    }
  }

  /** It expires at some time from then on, or not. */
  private void mayEnd(String holder, long from) {
    open.computeIfPresent(
        holder,
        (_, held) -> {
          Unanswered ended = new Unanswered(Wanted.RELEASE, holder, "");
          if (lost.add(ended)) {
            history.add(ended, from);
          }
          return new Held(held.id(), Long.MAX_VALUE);
        });
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
