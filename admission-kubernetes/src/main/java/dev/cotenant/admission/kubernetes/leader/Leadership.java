package dev.cotenant.admission.kubernetes.leader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.ApiResponse;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.kubernetes.api.LoopContext;
import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Leads while it holds a Lease [coordination.k8s.io/v1], by the rules of Kubernetes' leader
 * election: the holder renews; any other process acquires a Lease that it has seen unchanged for
 * its validity; clocks of different machines are never compared.
 *
 * <p>Every acquisition begins a new term, also by the same holder. Terms count up in {@code
 * leaseTransitions}; a new Lease begins with the seconds of the Unix epoch, so that a deleted Lease
 * does not repeat terms.
 *
 * <p>The holder stops leading after {@code renewWithin} without renewal. No write may be in flight
 * beyond {@code validity}, or two leaders could write.
 *
 * <p>A defect (an Error, a follower that throws) ends the term and the process, since followers may
 * be in an inconsistent state. The Lease then expires, and another process acquires it.
 */
public final class Leadership implements AutoCloseable {
  private static final String GROUP = "/apis/coordination.k8s.io/v1";
  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private final ApiServer server;
  private final Settings settings;
  private final Follower follower;
  private final Consumer<String> log;
  private final InstantSource clock;
  private final Supervisor supervisor;
  private @Nullable Loop loop;
  private final AtomicLong term = new AtomicLong();
  private final AtomicLong leadsUntilNanos = new AtomicLong();
  private volatile boolean closed;

  /** The last seen state of another's Lease, and the time of its first sight. */
  private String seen = "";

  private long seenAtNanos;

  /** The most transitions of any seen state of the Lease. */
  private long transitions;

  private String lastFailure = "";
  private volatile String holder = "";

  /**
   * The Lease and its times.
   *
   * @param namespace of the Lease
   * @param name of the Lease
   * @param identity of this process, unique
   * @param validity of an unchanged Lease; at least a second
   * @param renewWithin time without renewal after which the holder stops leading; less than {@code
   *     validity}
   * @param retry pause between two reads of the Lease
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

  /** Receives begins and ends of terms, on one thread, which it must not block. */
  public interface Follower {
    /** A term of this process begins. */
    void gained(long term);

    void lost();

    /** First this one, then another. */
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
   * @param cluster the API server and the loop's supervisor
   * @param settings the Lease
   * @param follower receives begins and ends of terms
   * @param log one line each
   * @param clock source of the times in the Lease; a holder's expiry is measured independently
   */
  public Leadership(
      LoopContext cluster,
      Settings settings,
      Follower follower,
      Consumer<String> log,
      InstantSource clock) {
    server = cluster.server();
    supervisor = cluster.supervisor();
    this.settings = settings;
    this.follower = follower;
    this.log = log;
    this.clock = clock;
  }

  /** Starts to compete. */
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

  /** Whether this process leads; false once its Lease may have expired. */
  public boolean isLeading() {
    return term() != 0;
  }

  /** The leader, where known. */
  public Optional<String> leader() {
    String known = isLeading() ? settings.identity() : holder;
    return known.isEmpty() ? Optional.empty() : Optional.of(known);
  }

  /** Stops leading, releases the Lease, and ends. */
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

  /** The Lease if this process acquired it now. */
  private @Nullable ObjectNode attempt() throws InterruptedException {
    try {
      return acquire();
    } catch (IOException | RuntimeException e) { // an invalid Lease must not end the process
      failed(ApiServer.describe(e));
      return null;
    }
  }

  private @Nullable ObjectNode acquire() throws IOException, InterruptedException {
    ApiResponse answer = server.call(ApiCall.get(path()));
    long sentAt = System.nanoTime();
    if (answer.code() == ApiResponse.NOT_FOUND) {
      return taken(server.call(ApiCall.post(all(), fresh())), sentAt);
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
    return taken(server.call(ApiCall.put(path(), lease)), sentAt);
  }

  private @Nullable ObjectNode taken(ApiResponse answer, long sentAt) {
    if (answer.isSuccessful() && answer.json() instanceof ObjectNode lease) {
      lastFailure = "";
      leadsUntilNanos.set(sentAt + settings.renewWithin().toNanos());
      return lease;
    }
    if (answer.code() != ApiResponse.CONFLICT) {
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

  /** Without holder, our own, or unchanged for its validity. */
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

  /** The renewed Lease, or the same for a retry; null where it is lost. */
  private @Nullable ObjectNode renew(ObjectNode lease) throws InterruptedException {
    long sentAt = System.nanoTime();
    hold(lease.withObject("/spec"));
    try {
      ApiResponse answer = server.call(ApiCall.put(path(), lease));
      if (answer.code() == ApiResponse.CONFLICT) {
        return reread();
      }
      if (answer.code() == ApiResponse.NOT_FOUND) {
        return null;
      }
      @Nullable ObjectNode renewed = taken(answer, sentAt);
      return renewed != null ? renewed : unlessOver(lease);
    } catch (IOException | RuntimeException e) { // as above
      failed(ApiServer.describe(e));
      return unlessOver(lease);
    }
  }

  /** Another client changed it: still ours, where the holder is the same. */
  private @Nullable ObjectNode reread() throws IOException, InterruptedException {
    ApiResponse answer = server.call(ApiCall.get(path()));
    return answer.json() instanceof ObjectNode lease
            && settings.identity().equals(Json.text(lease.path("spec"), "holderIdentity"))
        ? unlessOver(lease)
        : null;
  }

  private @Nullable ObjectNode unlessOver(ObjectNode lease) {
    return System.nanoTime() - leadsUntilNanos.get() < 0 ? lease : null;
  }

  /** Makes the Lease free for its next reader. */
  private void release() {
    boolean interrupted = Thread.interrupted(); // the last two requests are still to be made
    try {
      ApiResponse answer = server.call(ApiCall.get(path()));
      if (answer.json() instanceof ObjectNode lease
          && settings.identity().equals(Json.text(lease.path("spec"), "holderIdentity"))) {
        lease
            .withObject("/spec")
            .put("holderIdentity", "")
            .put("leaseDurationSeconds", 1)
            .put("renewTime", now());
        server.call(ApiCall.put(path(), lease));
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
        .put("leaseTransitions", Math.max(clock.instant().getEpochSecond(), transitions + 1));
    return lease;
  }

  private String now() {
    return MICRO_TIME.format(clock.instant());
  }

  private String all() {
    return ApiCall.namespaced(GROUP, settings.namespace(), "leases");
  }

  private String path() {
    return ApiCall.namespaced(GROUP, settings.namespace(), "leases", settings.name());
  }
}
