package dev.cotenant.admission.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.Leadership.Follower;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Labels the pod of the leading process {@value #LABEL}, so that a Service can select it, and takes
 * the label from all others: a process that hangs, or was killed, cannot do that itself.
 *
 * <p>Requests that come to a pod which wears the label no longer by right are answered with 503:
 * the label only leads the way.
 */
public final class LeaderLabel implements Follower, AutoCloseable {
  /** Its value is {@code true}. */
  public static final String LABEL = "cotenant.dev/leader";

  private static final Duration PAUSE = Duration.ofSeconds(5);

  private final ApiServer server;
  private final String namespace;
  private final String pod;
  private final Consumer<String> warnings;
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("leader-label").factory());

  private volatile boolean leads;

  /**
   * @param server where the pods are
   * @param namespace of this process's pod
   * @param pod its name
   * @param warnings takes one line each
   */
  public LeaderLabel(ApiServer server, String namespace, String pod, Consumer<String> warnings) {
    this.server = server;
    this.namespace = namespace;
    this.pod = pod;
    this.warnings = warnings;
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
    try {
      boolean wanted = leads;
      boolean done = put(pod, wanted);
      if (wanted) {
        for (String other : others()) {
          done &= put(other, false);
        }
      }
      if (!done) {
        again();
      }
    } catch (IOException e) {
      warnings.accept("The leader's pod cannot be labelled: " + ApiServer.describe(e));
      again();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  private void again() {
    if (!executor.isShutdown()) {
      var _ = executor.schedule(this::label, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** Whether the label is as wanted, or there is no such pod. */
  private boolean put(String name, boolean wanted) throws IOException, InterruptedException {
    ObjectNode patch = Json.object();
    ObjectNode labels = patch.putObject("metadata").putObject("labels");
    if (wanted) {
      labels.put(LABEL, "true");
    } else {
      labels.putNull(LABEL);
    }
    ApiAnswer answer =
        server.ask(ApiCall.merge(ApiCall.namespaced("/api/v1", namespace, "pods", name), patch));
    boolean good = answer.isSuccessful() || answer.code() == ApiAnswer.NOT_FOUND;
    if (!good) {
      warnings.accept("The pod " + name + " cannot be labelled: " + answer.message());
    }
    return good;
  }

  private Set<String> others() throws IOException, InterruptedException {
    ApiAnswer answer =
        server.ask(
            ApiCall.get(
                ApiCall.namespaced("/api/v1", namespace, "pods")
                    + "?labelSelector="
                    + ApiCall.escaped(LABEL + "=true")));
    if (!answer.isSuccessful()) {
      throw new IOException(answer.message());
    }
    Set<String> names = new TreeSet<>();
    for (JsonNode item : answer.json().path("items")) {
      String name = Json.text(item.path("metadata"), "name");
      if (name != null && !name.equals(pod)) {
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
