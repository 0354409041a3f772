package dev.cotenant.admission.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.Leadership.Follower;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Labels the pod of the leading process {@value #LABEL}, so that a Service can select it, and takes
 * the label from all others: a process that hangs, or was killed, cannot do that itself.
 *
 * <p>Requests that come to a pod which wears the label no longer by right are answered with 503:
 * the label only leads the way. Whoever leads looks after it every now and then, as one that led
 * before may have taken it off when it woke up late.
 */
public final class LeaderLabel implements Follower, AutoCloseable {
  /** Its value is {@code true}. */
  public static final String LABEL = "cotenant.dev/leader";

  private static final Duration PAUSE = Duration.ofSeconds(5);
  private static final Duration LOOK_AFTER = Duration.ofSeconds(15);

  private final ApiServer server;
  private final Candidate candidate;
  private final Consumer<String> warnings;
  private final Duration lookAfter;
  private final ScheduledThreadPoolExecutor executor =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("leader-label").factory());

  private volatile boolean leads;

  /** What was said last, unless it is over. */
  private String warned = "";

  private @Nullable Future<?> next;

  /**
   * This process.
   *
   * @param namespace of its pod
   * @param pod its name
   * @param leads whether its Lease allows it to write at this moment
   */
  public record Candidate(String namespace, String pod, BooleanSupplier leads) {}

  /**
   * @param server where the pods are
   * @param candidate this process
   * @param warnings takes one line each
   */
  public LeaderLabel(ApiServer server, Candidate candidate, Consumer<String> warnings) {
    this(server, candidate, warnings, LOOK_AFTER);
  }

  LeaderLabel(
      ApiServer server, Candidate candidate, Consumer<String> warnings, Duration lookAfter) {
    this.server = server;
    this.candidate = candidate;
    this.warnings = warnings;
    this.lookAfter = lookAfter;
    executor.setRemoveOnCancelPolicy(true); // or closing waits for what is planned
  }

  @Override
  public void gained(long term) {
    leads = true;
    executor.execute(this::label);
  }

  @Override
  public void lost() {
    leads = false;
    if (!executor.isShutdown()) {
      executor.execute(this::label);
    }
  }

  /** Makes the labels what they should be now; tried again for as long as that does not work. */
  private void label() {
    Future<?> planned = next;
    if (planned != null) {
      planned.cancel(false);
    }
    try {
      String problem =
          leads && candidate.leads().getAsBoolean() ? lead() : put(candidate.pod(), false);
      warn(problem);
      if (leads || !problem.isEmpty()) {
        again(problem.isEmpty() ? lookAfter : PAUSE);
      }
    } catch (IOException e) {
      warn("The leader's pod cannot be labelled: " + ApiServer.describe(e));
      again(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /** Said once, until it is otherwise. */
  private void warn(String problem) {
    if (!problem.isEmpty() && !problem.equals(warned)) {
      warnings.accept(problem);
    }
    warned = problem;
  }

  private void again(Duration pause) {
    if (!executor.isShutdown()) {
      next = executor.schedule(this::label, pause.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** What went wrong; empty where nothing did. */
  private String lead() throws IOException, InterruptedException {
    String problem = put(candidate.pod(), true);
    for (String other : others()) {
      if (candidate.leads().getAsBoolean()) {
        String its = put(other, false);
        problem = problem.isEmpty() ? its : problem;
      }
    }
    return problem;
  }

  /** What went wrong; empty where the label is as wanted by now. */
  private String put(String name, boolean wanted) throws IOException, InterruptedException {
    ObjectNode patch = Json.object();
    ObjectNode labels = patch.putObject("metadata").putObject("labels");
    if (wanted) {
      labels.put(LABEL, "true");
    } else {
      labels.putNull(LABEL);
    }
    ApiAnswer answer =
        server.ask(
            ApiCall.merge(
                ApiCall.namespaced("/api/v1", candidate.namespace(), "pods", name), patch));
    boolean good = answer.isSuccessful() || (!wanted && answer.code() == ApiAnswer.NOT_FOUND);
    return good ? "" : "The pod " + name + " cannot be labelled: " + answer.message();
  }

  private Set<String> others() throws IOException, InterruptedException {
    ApiAnswer answer =
        server.ask(
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

  /** Takes the label off, if that works at once, and ends. */
  @Override
  public void close() {
    lost();
    executor.shutdown();
    try {
      if (!executor.awaitTermination(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
        executor.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
