package dev.cotenant.admission.fill.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.fill.FillCause;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuDialect.MemoryField;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.EngineRun;
import org.jspecify.annotations.Nullable;

/** A pod before filling, with the inputs of the filling decision. */
record FillSubject(Colocatable pod, JsonNode json, Policy policy, Intent intent) {
  /** Where the memory is a limit, a bound of 90 % would end one pod in ten. */
  private static final Coverage WHERE_ENFORCED = Coverage.of(0.99);

  /** Dialect of the pod's original request. */
  GpuDialect spoken() {
    return pod.gpu().dialect();
  }

  /** Nothing is written. */
  Filler.Plan left(FillCause cause, String sentence) {
    return new Filler.Plan(json, report(spoken(), new FillReport.Left(cause, sentence)));
  }

  FillReport report(GpuDialect dialect, FillReport.Result result) {
    return new FillReport(pod.pod(), policy.mode(), dialect, result, intent);
  }

  /** Its server of a language model; null where it runs none. */
  @Nullable EngineRun server() {
    EngineRun run = pod.workload().engine();
    return run != null && run.kind() == EngineRun.Kind.SERVER ? run : null;
  }

  /** Whether the argument that limits the server is written for it. */
  boolean isLimitedByUs() {
    return server() != null
        && policy.engineBudget() == Policy.EngineBudget.WRITE
        && !EngineBudgets.isStated(pod);
  }

  /** How often a bound must hold beyond what the policy asks. */
  Coverage least(MemoryField field) {
    boolean enforced =
        switch (field.enforced()) {
          case ALWAYS -> true;
          case BY_LABEL -> json.at("/metadata/labels").has(GpuDialect.ISOLATION_LABEL);
          case NEVER -> false;
        };
    return enforced ? WHERE_ENFORCED : Coverage.of(0);
  }
}
