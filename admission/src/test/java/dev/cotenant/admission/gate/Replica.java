package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ClusterWriter;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.review.JsonPatch;
import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.LeaderStateStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A process that may lead: a controller, what it has sent and not heard of, and what it has not
 * been told yet.
 */
final class Replica implements ClusterWriter {
  /** Stands in until there is a replica to write. */
  static final class Nowhere implements ClusterWriter {
    @Override
    public void patch(WatchedPod pod, JsonPatch patch, Consumer<WriteResult> done) {}

    @Override
    public void read(WatchedPod pod, Consumer<PodLookupResult> done) {}

    @Override
    public void delete(WatchedPod pod, Consumer<WriteResult> done) {}

    @Override
    public void report(WatchedPod pod, PodEvent event) {}
  }

  /** A patch on its way. */
  static final class Flight {
    final WatchedPod pod;
    final JsonPatch patch;
    final Consumer<WriteResult> done;
    final Instant sentAt;
    boolean answered;

    Flight(WatchedPod pod, JsonPatch patch, Consumer<WriteResult> done, Instant sentAt) {
      this.pod = pod;
      this.patch = patch;
      this.done = done;
      this.sentAt = sentAt;
    }
  }

  final List<Runnable> inbox = new ArrayList<>();
  final List<Consumer<GateController>> news = new ArrayList<>();
  final List<Flight> flights = new ArrayList<>();

  /** Looks that were not done yet; whether they are answered is theirs to be told. */
  final List<Consumer<Boolean>> looks = new ArrayList<>();

  final List<Runnable> answers = new ArrayList<>();
  final GateController controller;
  final List<PodEvent> told = new ArrayList<>();
  final List<String> deleted = new ArrayList<>();
  final List<String> claims = new ArrayList<>();

  boolean saveFails;
  BiFunction<Long, LeaderState, LeaderStateStore.Result> saver =
      (_, _) -> new LeaderStateStore.Result.Persisted();

  /** The term that it trusts to lead in; 0 where it does not. */
  long term;

  /** Whether it still holds the Lease: nothing is sent otherwise. */
  boolean mayWrite = true;

  WriteResult deletion = new WriteResult.Done();

  /** What it noted last; null where nothing. */
  @Nullable LeaderState notes;

  private final Supplier<Instant> clock;
  private final FakeApiServer server;

  Replica(GatePorts ports, GateSettings settings, FakeApiServer server, Supplier<Instant> clock) {
    this.server = server;
    this.clock = clock;
    controller =
        new GateController(
            new GatePorts(
                ports.readings(),
                ports.predictor(),
                ports.decider(),
                this,
                this::save,
                ports.policies(),
                ports.optedIn(),
                ports.products(),
                ports.corrections(),
                ports.listener(),
                ports.clock()),
            settings,
            inbox::add);
  }

  @Override
  public void patch(WatchedPod pod, JsonPatch patch, Consumer<WriteResult> done) {
    if (!mayWrite) {
      answers.add(() -> done.accept(new WriteResult.Refused("does not lead any more")));
      return;
    }
    flights.add(new Flight(pod, patch, done, clock.get()));
  }

  @Override
  public void read(WatchedPod pod, Consumer<PodLookupResult> done) {
    looks.add(isAnswered -> {
      PodLookupResult seen =
          isAnswered && mayWrite
              ? server.look(pod.uid())
              : new PodLookupResult.Unknown("timed out");
      answers.add(() -> done.accept(seen));
    });
  }

  @Override
  public void delete(WatchedPod pod, Consumer<WriteResult> done) {
    deleted.add(pod.uid());
    done.accept(deletion);
  }

  @Override
  public void claim(WatchedPod pod, String name, DeviceClaim wanted, Consumer<WriteResult> done) {
    claims.add(name + ": " + wanted.expression());
    done.accept(new WriteResult.Done());
  }

  private void save(long number, LeaderState state, Consumer<LeaderStateStore.Result> done) {
    if (saveFails) {
      done.accept(new LeaderStateStore.Result.Uncertain("timed out"));
      return;
    }
    notes = state;
    done.accept(saver.apply(number, state));
  }

  @Override
  public void report(WatchedPod pod, PodEvent event) {
    told.add(event);
  }

  /** One patch on its way arrives, is lost, or is only taken to be. */
  void fly(Random random) {
    if (!looks.isEmpty()) {
      looks.remove(random.nextInt(looks.size())).accept(random.nextInt(4) > 0);
    }
    if (flights.isEmpty()) {
      return;
    }
    Flight flight = flights.get(random.nextInt(flights.size()));
    int fate = flight.answered ? 0 : random.nextInt(10);
    if (fate == 8) {
      answer(flight, new WriteResult.Unknown("timed out")); // and it may arrive yet
      return;
    }
    flights.remove(flight);
    if (fate == 9) {
      answer(flight, new WriteResult.Unknown("lost on its way"));
      return;
    }
    WriteResult written =
        fate == 6 && random.nextInt(4) == 0
            ? new WriteResult.Refused("a webhook said no")
            : server.patch(flight.pod.uid(), flight.patch);
    answer(flight, fate == 7 ? new WriteResult.Unknown("its answer was lost") : written);
  }

  /** All arrive, and are answered. */
  void flyAll() {
    while (!looks.isEmpty()) {
      looks.removeFirst().accept(true);
    }
    while (!flights.isEmpty()) {
      Flight flight = flights.removeFirst();
      answer(flight, server.patch(flight.pod.uid(), flight.patch));
    }
  }

  private void answer(Flight flight, WriteResult written) {
    if (!flight.answered) {
      flight.answered = true;
      answers.add(() -> flight.done.accept(written));
    }
  }

  /** What the API server has worked on for too long it gives up. */
  void giveUpBefore(Instant when) {
    flights.removeIf(flight -> {
      boolean late = flight.sentAt.isBefore(when);
      if (late) {
        answer(flight, new WriteResult.Unknown("given up"));
      }
      return late;
    });
  }

  void runInbox() {
    List<Runnable> all = List.copyOf(inbox);
    inbox.clear();
    all.forEach(Runnable::run);
  }
}
