package dev.cotenant.admission.gate.events;

import dev.cotenant.admission.cluster.ClusterWriter.PodLookupResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.gate.state.WriteState.InFlight;
import dev.cotenant.admission.gate.write.Writes;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads gated pods again that no write of this term could fence, once no write of an earlier term
 * can arrive: its last effect may reach the watch late.
 */
public final class LiveReads {
  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final PodEvents podEvents;
  private final Writes writes;

  /** Time of the next read, by uid. */
  private final Map<String, Instant> dueAt = new HashMap<>();

  /** Unanswered reads in a row, by uid. */
  private final Map<String, Integer> failures = new HashMap<>();

  public LiveReads(
      GatePorts ports, GateSettings settings, Term term, PodEvents podEvents, Writes writes) {
    this.ports = ports;
    this.settings = settings;
    this.term = term;
    this.podEvents = podEvents;
    this.writes = writes;
  }

  /** Reads all pods that are due. */
  public void read(Instant now, Due due) {
    Instant over = term.begunAt().plus(settings.fence());
    for (TrackedPod pod : term.pods().unbound()) {
      if (pod.writes().inFlight() == InFlight.EARLIER_TERM) {
        Instant at = dueAt.getOrDefault(pod.uid(), over);
        if (now.isBefore(at)) {
          due.at(at);
        } else {
          dueAt.put(pod.uid(), Instant.MAX);
          String uid = pod.uid();
          ports
              .cluster()
              .read(pod.latest().pod(), uid, seen -> writes.later(() -> apply(uid, seen)));
        }
      }
    }
  }

  private void apply(String uid, PodLookupResult result) {
    dueAt.remove(uid);
    int before = failures.getOrDefault(uid, 0);
    failures.remove(uid);
    switch (result) {
      case PodLookupResult.There(WatchedPod now) -> {
        podEvents.seen(now);
        TrackedPod pod = term.pods().find(uid);
        if (pod != null && pod.writes().inFlight() == InFlight.EARLIER_TERM) {
          pod.writes().fenced();
        }
      }
      case PodLookupResult.Gone _ -> podEvents.gone(uid);
      case PodLookupResult.Unknown(String why) -> {
        failures.put(uid, before + 1);
        dueAt.put(uid, ports.clock().instant().plus(settings.backOff(before + 1)));
        TrackedPod pod = term.pods().find(uid);
        if (pod != null) {
          ports.listener().writeFailed(pod.latest(), why);
        }
      }
    }
  }
}
