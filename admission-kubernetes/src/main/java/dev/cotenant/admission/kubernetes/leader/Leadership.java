package dev.cotenant.admission.kubernetes.leader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.api.ApiAnswer;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.kubernetes.api.Supervised;
import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Leads while it holds a Lease [coordination.k8s.io/v1], by the rules of Kubernetes' own leader
 * election: the holder renews; whoever has seen an unchanged Lease for as long as it is valid takes
 * it; clocks of different machines are never compared.
 *
 * <p>Every time that the Lease is acquired a new term begins, also when its holder has only lost
 * and regained it. Terms count up in {@code leaseTransitions}; a Lease that is made anew begins
 * with the seconds of the Unix epoch, so that a deleted Lease does not bring back old terms.
 *
 * <p>The holder stops leading when it could not renew for {@code renewWithin}. No write may then be
 * under way for longer than until {@code validity} has passed, or two leaders might write.
 *
 * <p>A failure of ours (an Error, a follower that throws) ends the term and the process: followers
 * may be half told. The Lease then runs out, and another process takes it.
 */
public final class Leadership implements AutoCloseable {
  private static final String GROUP = "/apis/coordination.k8s.io/v1";
  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private final ApiServer server;
  private final Settings settings;
  private final Follower follower;
  private final Consumer<String> log;
  private final Supervisor supervisor;
  private @Nullable Loop loop;
  private final AtomicLong term = new AtomicLong();
  private final AtomicLong leadsUntilNanos = new AtomicLong();
  private volatile boolean closed;

  /** What was last seen of the Lease of others, and when it was first seen like that. */
  private String seen = "";

  private long seenAtNanos;

  /** The most transitions that any state of the Lease had so far. */
  private long transitions;

  private String lastFailure = "";
  private volatile String holder = "";

  /**
   * Which Lease, and how patient.
   *
   * @param namespace of the Lease
   * @param name of the Lease
   * @param identity of this process, different from every other's
   * @param validity how long others leave an unchanged Lease alone; at least a second
   * @param renewWithin how long the holder leads without having renewed; less than {@code validity}
   * @param retry how long to wait between two looks at it
   */
  public record Settings(
      String namespace,
      String name,
      String identity,
      Duration validity,
      Duration renewWithin,
      Duration retry) {
    public Settings {
      if (validity.toSeconds() < 1 || renewWithin.compareTo(validity) >= 0 || retry.isZero()) {
        throw new IllegalArgumentException(
            "a lease of "
                + validity
                + " cannot be renewed within "
                + renewWithin
                + ", tried every "
                + retry);
      }
    }
  }

  /** Is told when terms begin and end; by one thread, which it must not keep. */
  public interface Follower {
    /** This process leads from now on. */
    void gained(long term);

    /** This process leads no longer. */
    void lost();

    /** This one is told first, then another. */
    default Follower and(Follower other) {
      Follower first = this;
      return new Follower() {
        @Override
        public void gained(long term) {
          first.gained(term);
          other.gained(term);
        }

        @Override
        public void lost() {
          first.lost();
          other.lost();
        }
      };
    }
  }

  /**
   * @param cluster where the Lease is, and who runs the loop that renews it
   * @param settings which Lease
   * @param follower is told
   * @param log takes one line each
   */
  public Leadership(
      Supervised cluster, Settings settings, Follower follower, Consumer<String> log) {
    server = cluster.server();
    supervisor = cluster.supervisor();
    this.settings = settings;
    this.follower = follower;
    this.log = log;
  }

  /** Begins to compete. */
  public synchronized void start() {
    loop =
        supervisor.start(
            LoopPlan.vital("leadership", server.longestSilence().plus(settings.retry())),
            this::round);
  }

  /** The number of the current term; 0 while this process does not lead. */
  public long term() {
    long current = term.get();
    return current != 0 && System.nanoTime() - leadsUntilNanos.get() < 0 ? current : 0;
  }

  /** Whether this process leads; false from the moment on at which its Lease may not be renewed. */
  public boolean isLeading() {
    return term() != 0;
  }

  /** Who leads, as far as this process has seen. */
  public Optional<String> leader() {
    String known = isLeading() ? settings.identity() : holder;
    return known.isEmpty() ? Optional.empty() : Optional.of(known);
  }

  /** Stops leading, gives the Lease back, and ends. */
  @Override
  public synchronized void close() {
    closed = true;
    if (loop != null) {
      loop.close(Duration.ofSeconds(5));
    }
  }

  private void round(Heartbeat heart) throws InterruptedException {
    @Nullable ObjectNode held = attempt();
    if (held != null) {
      lead(held, heart);
    }
    heart.rest(settings.retry());
  }

  /** The Lease where this process holds it now. */
  private @Nullable ObjectNode attempt() throws InterruptedException {
    try {
      return acquire();
    } catch (IOException | RuntimeException e) { // a Lease that is none must not end the process
      failed(ApiServer.describe(e));
      return null;
    }
  }

  private @Nullable ObjectNode acquire() throws IOException, InterruptedException {
    ApiAnswer answer = server.ask(ApiCall.get(path()));
    long asked = System.nanoTime();
    if (answer.code() == ApiAnswer.NOT_FOUND) {
      return taken(server.ask(ApiCall.post(all(), fresh())), asked);
    }
    if (!(answer.json() instanceof ObjectNode lease) || !answer.isSuccessful()) {
      failed(answer.message());
      return null;
    }
    if (!isFree(lease)) {
      return null;
    }
    ObjectNode spec = lease.withObject("/spec");
    hold(spec);
    spec.put("acquireTime", now()).put("leaseTransitions", transitions + 1);
    return taken(server.ask(ApiCall.put(path(), lease)), asked);
  }

  private @Nullable ObjectNode taken(ApiAnswer answer, long asked) {
    if (answer.isSuccessful() && answer.json() instanceof ObjectNode lease) {
      lastFailure = "";
      leadsUntilNanos.set(asked + settings.renewWithin().toNanos());
      return lease;
    }
    if (answer.code() != ApiAnswer.CONFLICT) {
      failed(answer.message());
    }
    return null;
  }

  private void failed(String why) {
    if (!why.equals(lastFailure)) {
      lastFailure = why;
      log.accept(
          "The lease " + settings.namespace() + "/" + settings.name() + " is out of reach: " + why);
    }
  }

  /** Nobody's, ours from before, or unchanged for as long as it is valid. */
  private boolean isFree(JsonNode lease) {
    JsonNode spec = lease.path("spec");
    holder = Json.textOr(spec, "holderIdentity", "");
    String state = holder + " " + Json.textOr(spec, "renewTime", "");
    transitions = Math.max(transitions, spec.path("leaseTransitions").asLong(0));
    if (!state.equals(seen)) {
      seen = state;
      seenAtNanos = System.nanoTime();
    }
    long validity = Duration.ofSeconds(spec.path("leaseDurationSeconds").asLong(1)).toNanos();
    return holder.isEmpty()
        || holder.equals(settings.identity())
        || System.nanoTime() - seenAtNanos >= validity;
  }

  private void lead(ObjectNode acquired, Heartbeat heart) throws InterruptedException {
    transitions = acquired.path("spec").path("leaseTransitions").asLong();
    long number = transitions + 1;
    @Nullable ObjectNode lease = acquired;
    try {
      term.set(number);
      log.accept("Leads in term " + number);
      follower.gained(number);
      while (lease != null && !closed) {
        heart.rest(settings.retry());
        lease = renew(lease);
      }
    } finally {
      term.set(0);
      follower.lost();
      log.accept("Leads no longer, after term " + number);
      if (closed) {
        release();
      }
    }
  }

  /** The renewed Lease, the same where that may be tried again; null where it is lost. */
  private @Nullable ObjectNode renew(ObjectNode lease) throws InterruptedException {
    long asked = System.nanoTime();
    hold(lease.withObject("/spec"));
    try {
      ApiAnswer answer = server.ask(ApiCall.put(path(), lease));
      if (answer.code() == ApiAnswer.CONFLICT) {
        return reread();
      }
      if (answer.code() == ApiAnswer.NOT_FOUND) {
        return null;
      }
      @Nullable ObjectNode renewed = taken(answer, asked);
      return renewed != null ? renewed : unlessOver(lease);
    } catch (IOException | RuntimeException e) { // as above
      failed(ApiServer.describe(e));
      return unlessOver(lease);
    }
  }

  /** Somebody changed it: ours still, where only something else about it was changed. */
  private @Nullable ObjectNode reread() throws IOException, InterruptedException {
    ApiAnswer answer = server.ask(ApiCall.get(path()));
    return answer.json() instanceof ObjectNode lease
            && settings.identity().equals(Json.text(lease.path("spec"), "holderIdentity"))
        ? unlessOver(lease)
        : null;
  }

  private @Nullable ObjectNode unlessOver(ObjectNode lease) {
    return System.nanoTime() - leadsUntilNanos.get() < 0 ? lease : null;
  }

  /** The next looks at the Lease find it free. */
  private void release() {
    boolean interrupted = Thread.interrupted(); // the last two requests are still to be made
    try {
      ApiAnswer answer = server.ask(ApiCall.get(path()));
      if (answer.json() instanceof ObjectNode lease
          && settings.identity().equals(Json.text(lease.path("spec"), "holderIdentity"))) {
        lease
            .withObject("/spec")
            .put("holderIdentity", "")
            .put("leaseDurationSeconds", 1)
            .put("renewTime", now());
        server.ask(ApiCall.put(path(), lease));
      }
    } catch (IOException e) {
      failed(ApiServer.describe(e));
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void hold(ObjectNode spec) {
    spec.put("holderIdentity", settings.identity())
        .put("leaseDurationSeconds", settings.validity().toSeconds())
        .put("renewTime", now());
  }

  private ObjectNode fresh() {
    ObjectNode lease =
        Json.object().put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
    lease.putObject("metadata").put("name", settings.name()).put("namespace", settings.namespace());
    ObjectNode spec = lease.putObject("spec");
    hold(spec);
    spec.put("acquireTime", now())
        .put("leaseTransitions", Math.max(Instant.now().getEpochSecond(), transitions + 1));
    return lease;
  }

  private static String now() {
    return MICRO_TIME.format(Instant.now());
  }

  private String all() {
    return ApiCall.namespaced(GROUP, settings.namespace(), "leases");
  }

  private String path() {
    return ApiCall.namespaced(GROUP, settings.namespace(), "leases", settings.name());
  }
}
