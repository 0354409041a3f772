package dev.cotenant.admission.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.OutOfMemorySigns;
import dev.cotenant.admission.fill.FillOomKills;
import dev.cotenant.admission.fill.FillRecord;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;

/**
 * Detects pods that exceeded their filled memory, by reviewing their status: neither a watch nor
 * cluster rights are needed.
 */
public final class OomKillDetector {
  private static final List<String> STATUSES =
      List.of("containerStatuses", "initContainerStatuses");

  private final PodRequestReader reader = new PodRequestReader();
  private final FillOomKills kills;
  private final AdmissionListener listener;

  public OomKillDetector(FillOomKills kills, AdmissionListener listener) {
    this.kills = kills;
    this.listener = listener;
  }

  /** Counts a pod once, whatever its status says afterwards. */
  void observe(JsonNode json, String namespace) {
    FillRecord record = FillRecord.of(json).orElse(null);
    String uid = json.path("metadata").path("uid").asText("");
    MemorySize filled = record == null ? null : record.memory();
    if (record == null
        || filled == null
        || uid.isEmpty()
        || !ranOut(json.path("status"), record.container())) {
      return;
    }
    if (reader.read(FillRecord.original(json), namespace) instanceof Colocatable pod) {
      pod.workload()
          .workload()
          .filter(workload -> kills.add(uid, namespace, FillOomKills.key(workload), filled))
          .ifPresent(_ -> listener.killed(pod.pod()));
    }
  }

  private static boolean ranOut(JsonNode status, String container) {
    for (String list : STATUSES) {
      for (JsonNode one : status.path(list)) {
        if (one.path("name").asText("").equals(container)
            && (OutOfMemorySigns.ofGpu(one.path("state").path("terminated"))
                || OutOfMemorySigns.ofGpu(one.path("lastState").path("terminated")))) {
          return true;
        }
      }
    }
    return false;
  }
}
