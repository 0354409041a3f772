package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ClusterWriter;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.admission.review.JsonPatch;
import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.LeaderStateStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
    public void bind(Binding binding, Consumer<WriteResult> done) {}

    @Override
    public void read(PodIdentity pod, String uid, Consumer<PodLookupResult> done) {}

    @Override
    public void delete(WatchedPod pod, Consumer<WriteResult> done) {}

    @Override
    public void report(WatchedPod pod, PodEvent event) {}
  }

  /** A write on its way. */
  static final class Flight {
    private @Nullable WatchedPod pod;
    private @Nullable JsonPatch patch;
    final Supplier<WriteResult> write;
    final Consumer<WriteResult> done;
    final Instant sentAt;
    boolean answered;

    Flight(Supplier<WriteResult> write, Consumer<WriteResult> done, Instant sentAt) {
      this.write = write;
      this.done = done;
      this.sentAt = sentAt;
    }

    /** The state that a patch was made for. */
    WatchedPod pod() {
      return Objects.requireNonNull(pod);
    }

    JsonPatch patch() {
      return Objects.requireNonNull(patch);
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

  WriteResult claiming = new WriteResult.Done();

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
    Flight flight = new Flight(() -> server.patch(pod.uid(), patch), done, clock.get());
    flight.pod = pod;
    flight.patch = patch;
    send(flight);
  }

  @Override
  public void bind(Binding binding, Consumer<WriteResult> done) {
    send(new Flight(() -> server.bind(binding), done, clock.get()));
  }

  private void send(Flight flight) {
    if (mayWrite) {
      flights.add(flight);
    } else {
      answers.add(() -> flight.done.accept(new WriteResult.Refused("does not lead any more")));
    }
  }

  @Override
  public void read(PodIdentity pod, String uid, Consumer<PodLookupResult> done) {
    looks.add(isAnswered -> {
      PodLookupResult seen =
          isAnswered && mayWrite ? server.look(uid) : new PodLookupResult.Unknown("timed out");
      answers.add(() -> done.accept(seen));
    });
  }

  @Override
  public void delete(WatchedPod pod, Consumer<WriteResult> done) {
    deleted.add(pod.uid());
    done.accept(deletion);
  }

  @Override
  public void evict(WatchedPod pod, Consumer<EvictionResult> done) {
    List<EvictionResult> results = new ArrayList<>();
    server.sendsEviction(pod.uid());
    send(
        new Flight(
            () -> {
              results.add(server.evict(pod.uid()));
              return new WriteResult.Done();
            },
            written ->
                done.accept(
                    switch (written) {
                      case WriteResult.Unknown(String why) -> new EvictionResult.Unknown(why);
                      case WriteResult.Refused(String why) -> new EvictionResult.Refused(why);
                      case WriteResult.Done _ -> results.getLast();
                      case WriteResult.Conflict _, WriteResult.Gone _ -> new EvictionResult.Gone();
                    }),
            clock.get()));
  }

  @Override
  public void claim(WatchedPod pod, String name, DeviceClaim wanted, Consumer<WriteResult> done) {
    String sharing = wanted.sharing() instanceof ClaimSharing.Unset ? "" : " " + wanted.sharing();
    String memory = wanted.memory() == null ? "" : " " + wanted.memory();
    claims.add(name + ": " + wanted.expression() + sharing + memory);
    done.accept(claiming);
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
            : flight.write.get();
    answer(flight, fate == 7 ? new WriteResult.Unknown("its answer was lost") : written);
  }

  /** All arrive, and are answered. */
  void flyAll() {
    while (!looks.isEmpty()) {
      looks.removeFirst().accept(true);
    }
    while (!flights.isEmpty()) {
      Flight flight = flights.removeFirst();
      answer(flight, flight.write.get());
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
