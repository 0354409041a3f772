package dev.cotenant.admission.kubernetes.leader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.ApiResponse;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.kubernetes.api.LoopContext;
import dev.cotenant.admission.kubernetes.leader.Leadership.Follower;
import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Labels the leader's pod with {@value #LABEL}, for the selector of a Service, and removes the
 * label from all other pods: a process that hangs or was killed cannot do that itself.
 *
 * <p>The label is a hint only: a pod with an outdated label answers 503. The leader re-checks it
 * periodically, since an earlier leader may remove it late.
 */
public final class LeaderLabel implements Follower, AutoCloseable {
  /** Its value is {@code true}. */
  public static final String LABEL = "cotenant.dev/leader";

  private static final Duration END_WITHIN = Duration.ofSeconds(5);

  /** Without leadership and with nothing to remove. */
  private static final Duration IDLE = Duration.ofHours(1);

  /** Why the labels are checked. */
  private enum Change {
    LEADERSHIP,
    END
  }

  private final ApiServer server;
  private final Candidate candidate;
  private final Consumer<String> warnings;
  private final Timing timing;
  private final BlockingQueue<Change> changes = new LinkedBlockingQueue<>();
  private final Loop loop;
  private volatile boolean leads;

  /** Time until the next check without a change; used by the loop alone. */
  private Duration pause = IDLE;

  /** The last warning, until the problem ends. */
  private String warned = "";

  /**
   * This process.
   *
   * @param namespace of its pod
   * @param pod its name
   * @param leads whether its Lease allows writes now
   */
  public record Candidate(String namespace, String pod, BooleanSupplier leads) {}

  /**
   * Times between checks.
   *
   * @param lookAfter while it leads
   * @param pause after a check that failed
   */
  public record Timing(Duration lookAfter, Duration pause) {
    public static final Timing STANDARD = new Timing(Duration.ofSeconds(15), Duration.ofSeconds(5));
  }

  /**
   * @param cluster the API server and the loop's supervisor
   * @param candidate this process
   * @param warnings one line each
   */
  public LeaderLabel(LoopContext cluster, Candidate candidate, Consumer<String> warnings) {
    this(cluster, candidate, warnings, Timing.STANDARD);
  }

  public LeaderLabel(
      LoopContext cluster, Candidate candidate, Consumer<String> warnings, Timing timing) {
    server = cluster.server();
    this.candidate = candidate;
    this.warnings = warnings;
    this.timing = timing;
    loop =
        cluster
            .supervisor()
            .start(LoopPlan.restarted("leader-label", server.longestSilence()), this::round);
  }

  @Override
  public void gained(long term) {
    leads = true;
    changes.add(Change.LEADERSHIP);
  }

  @Override
  public void lost() {
    leads = false;
    changes.add(Change.LEADERSHIP);
  }

  /** Waits for a change, then corrects the labels. A restart repeats the check. */
  private void round(Heartbeat heart) throws InterruptedException {
    heart.beatBefore(pause);
    @Nullable Change change = changes.poll(pause.toMillis(), TimeUnit.MILLISECONDS);
    heart.beat();
    pause = timing.pause(); // if this check fails
    pause = label(heart);
    if (change == Change.END) {
      heart.finish();
    }
  }

  /** Time until the next check; short after a failure. */
  private Duration label(Heartbeat heart) throws InterruptedException {
    try {
      String problem =
          leads && candidate.leads().getAsBoolean() ? lead(heart) : put(candidate.pod(), false);
      warn(problem);
      if (!problem.isEmpty()) {
        return timing.pause();
      }
      return leads ? timing.lookAfter() : IDLE;
    } catch (IOException e) {
      warn("The leader's pod cannot be labelled: " + ApiServer.describe(e));
      return timing.pause();
    }
  }

  /** Warns once for each problem. */
  private void warn(String problem) {
    if (!problem.isEmpty() && !problem.equals(warned)) {
      warnings.accept(problem);
    }
    warned = problem;
  }

  /** The problem; empty without one. */
  private String lead(Heartbeat heart) throws IOException, InterruptedException {
    String problem = put(candidate.pod(), true);
    for (String other : others()) {
      heart.beat();
      if (candidate.leads().getAsBoolean()) {
        String its = put(other, false);
        problem = problem.isEmpty() ? its : problem;
      }
    }
    return problem;
  }

  /** The problem; empty where the label is as wanted. */
  private String put(String name, boolean wanted) throws IOException, InterruptedException {
    ObjectNode patch = Json.object();
    ObjectNode labels = patch.putObject("metadata").putObject("labels");
    if (wanted) {
      labels.put(LABEL, "true");
    } else {
      labels.putNull(LABEL);
    }
    ApiResponse answer =
        server.call(
            ApiCall.merge(
                ApiCall.namespaced("/api/v1", candidate.namespace(), "pods", name), patch));
    boolean good = answer.isSuccessful() || (!wanted && answer.code() == ApiResponse.NOT_FOUND);
    return good ? "" : "The pod " + name + " cannot be labelled: " + answer.message();
  }

  private Set<String> others() throws IOException, InterruptedException {
    ApiResponse answer =
        server.call(
            ApiCall.get(
                ApiCall.namespaced("/api/v1", candidate.namespace(), "pods")
                    + "?labelSelector="
                    + ApiCall.escaped(LABEL + "=true")));
    if (!answer.isSuccessful()) {
      throw new IOException(answer.message());
    }
    Set<String> names = new TreeSet<>();
    for (JsonNode item : answer.json().path("items")) {
      String name = Json.text(item.path("metadata"), "name");
      if (name != null && !name.equals(candidate.pod())) {
        names.add(name);
      }
    }
    return names;
  }

  /** Removes the label, if that succeeds at once, and ends. */
  @Override
  public void close() {
    leads = false;
    changes.add(Change.END);
    loop.awaitEnd(END_WITHIN);
    loop.close();
  }
}
