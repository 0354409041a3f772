package dev.cotenant.admission.pod;

import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.decision.Reason.GrantConflict.Difference;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The differences of two requests that matter to decisions. Dialect and container do not: injected
 * sidecars and translated dialects do not change the request.
 */
final class RequestDifferences {
  private final List<Difference> differences = new ArrayList<>();

  private RequestDifferences() {}

  static List<Difference> between(Colocatable granted, Colocatable found) {
    RequestDifferences all = new RequestDifferences();
    all.compare("GPU count", granted.gpu().gpus(), found.gpu().gpus());
    all.compare("declared memory", memory(granted), memory(found));
    all.compare("compute share", granted.gpu().compute(), found.gpu().compute());
    all.workload(granted.workload(), found.workload());
    all.compare("node", granted.nodes().node(), found.nodes().node());
    all.compare("other node constraints", granted.nodes().unchecked(), found.nodes().unchecked());
    return List.copyOf(all.differences);
  }

  private void workload(WorkloadAnnotations granted, WorkloadAnnotations found) {
    compare("model", granted.model(), found.model());
    if (granted.engine() != null) { // a reservation has none
      compare("engine", engine(granted), engine(found));
    }
    compare("batch size", granted.batchSize(), found.batchSize());
    compare("mode", granted.settings().mode(), found.settings().mode());
    compare("precision", granted.settings().precision(), found.settings().precision());
    compare("framework", granted.settings().framework(), found.settings().framework());
    compare("optimizer", optimizer(granted), optimizer(found));
    compare("checkpointing", checkpointing(granted), checkpointing(found));
    compare("SLO latency", granted.sloLatency(), found.sloLatency());
    compare("load", load(granted), load(found));
    compare("slowdown limit", granted.maxSlowdown(), found.maxSlowdown());
    compare("risk budget", granted.riskBudget(), found.riskBudget());
  }

  private static @Nullable String engine(WorkloadAnnotations workload) {
    EngineRun run = workload.engine();
    return run == null
        ? null
        : run.engine() + " " + run.version() + " of " + run.model() + " with " + run.settings();
  }

  private static Object optimizer(WorkloadAnnotations workload) {
    return workload.settings().recipe().optimizer();
  }

  private static Object checkpointing(WorkloadAnnotations workload) {
    return workload.settings().recipe().checkpointing();
  }

  private static @Nullable Load load(WorkloadAnnotations workload) {
    Load load = workload.settings().load();
    return load.equals(Load.UNSTATED) ? null : load;
  }

  private static @Nullable DeclaredMemory memory(Colocatable pod) {
    return pod.declaredMemory().orElse(null);
  }

  private void compare(String what, @Nullable Object granted, @Nullable Object found) {
    if (!Objects.equals(granted, found)) {
      differences.add(new Difference(what, words(granted), words(found)));
    }
  }

  private static String words(@Nullable Object value) {
    return switch (value) {
      case null -> "none";
      case DeclaredMemory.Amount(var memory) -> memory.toString();
      case DeclaredMemory.FractionOfGpu(double fraction) -> fraction + " of the GPU";
      case ComputeShare(double percent) -> percent + " %";
      case Load.RequestRate(double perSecond, _) -> perSecond + " requests per second";
      case Load.InputWait(double share) -> 100 * share + " % of a step waits for input";
      case Load.UtilizationLimit(var highest) -> "utilization of at most " + highest;
      default -> value.toString();
    };
  }
}
