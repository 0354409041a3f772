package dev.cotenant.e2e;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.util.ArrayList;
import java.util.List;

/** The replicas of the service that run, behind one address for the webhooks. */
final class Replicas implements AutoCloseable {
  private final CotenantProcess.Install install;
  private final Balancer balancer;
  private final List<CotenantProcess> running = new ArrayList<>();
  private int started;

  Replicas(CotenantProcess.Install install, Balancer balancer) {
    this.install = install;
    this.balancer = balancer;
  }

  /** Starts one more, which is ready afterwards. */
  CotenantProcess start() {
    started++;
    CotenantProcess replica = CotenantProcess.start(install, "replica-" + started);
    running.add(replica);
    balancer.add(replica.webhookPort());
    return replica;
  }

  /** The one that decides, as soon as there is one. */
  CotenantProcess deciding() {
    Eventually.holds(
        "a replica decides", () -> running.stream().anyMatch(CotenantProcess::isDeciding));
    return running.stream().filter(CotenantProcess::isDeciding).findFirst().orElseThrow();
  }

  /** Makes sure that exactly one runs, and that it decides. */
  CotenantProcess one() {
    if (running.isEmpty()) {
      start();
    }
    while (running.size() > 1) {
      end(running.getLast());
    }
    return deciding();
  }

  /** Ends one without a chance to say goodbye. */
  void kill(CotenantProcess replica) {
    forget(replica);
    replica.kill();
  }

  /** Asks one to end, and waits for that. */
  void end(CotenantProcess replica) {
    forget(replica);
    replica.close();
  }

  private void forget(CotenantProcess replica) {
    running.remove(replica);
    balancer.remove(replica.webhookPort());
  }

  @Override
  public void close() {
    while (!running.isEmpty()) {
      end(running.getLast());
    }
  }
}
