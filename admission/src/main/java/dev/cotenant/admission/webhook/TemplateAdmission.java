package dev.cotenant.admission.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.fill.Fill;
import dev.cotenant.admission.fill.FillRecord;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.fill.plan.Filler;
import dev.cotenant.admission.fill.plan.PodTemplate;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.admission.policy.Filling;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.AdmissionRequest;
import dev.cotenant.admission.review.AdmissionResponse;
import dev.cotenant.admission.review.AdmissionResponse.Allowed;
import dev.cotenant.admission.review.JsonChanges;
import dev.cotenant.admission.review.JsonPatch;
import dev.cotenant.admission.review.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Fills the templates of Jobs, JobSets and TrainJobs when these are created, where the policy says
 * so, for queues charge templates before there are pods. Idempotent as the filling of pods is.
 */
final class TemplateAdmission {
  private final PodRequestReader reader = new PodRequestReader();
  private final Filler filler;

  TemplateAdmission(Filler filler) {
    this.filler = filler;
  }

  Conclusion answer(AdmissionRequest request, Policy policy) {
    boolean isFilled =
        request.operation() == Operation.CREATE
            && request.subResource() == null
            && PodTemplate.isIn(request.kind())
            && policy.fills()
            && policy.filling().scope() == Filling.Scope.TEMPLATES
            && !filler.isOverBudget(request.namespace(), policy);
    return isFilled && request.object() instanceof ObjectNode object
        ? fill(object, request, policy)
        : Conclusion.unchanged();
  }

  private Conclusion fill(ObjectNode object, AdmissionRequest request, Policy policy) {
    ObjectNode after = object.deepCopy();
    List<FillReport> reports = new ArrayList<>();
    Warnings warnings = new Warnings();
    for (PodTemplate template : PodTemplate.of(request.kind(), after)) {
      JsonNode pod = FillRecord.original(template.pod());
      if (reader.read(pod, request.namespace()) instanceof Colocatable known) {
        Filler.Plan plan = filler.plan(known, pod, policy, request.intent());
        if (isWritable(template, plan.report())) {
          template.take(marked(plan));
          reports.add(plan.report());
          FillAdmission.warn(warnings, known, plan.report());
        }
      }
    }
    return conclusion(JsonChanges.between(object, after), reports, warnings);
  }

  /** Requests by annotations cannot be written into a TrainJob: its JobSet is filled. */
  private static boolean isWritable(PodTemplate template, FillReport report) {
    return template.hasAnnotations() || !report.dialect().isAnnotated();
  }

  /** With the record that says that the template was filled. */
  private static JsonNode marked(Filler.Plan plan) {
    if (plan.after() instanceof ObjectNode pod
        && plan.report().result() instanceof FillReport.Written written) {
      Fill.annotate(pod, written.record().inTemplate());
    }
    return plan.after();
  }

  private static Conclusion conclusion(
      JsonPatch patch, List<FillReport> reports, Warnings warnings) {
    boolean writes =
        !patch.isEmpty()
            && reports.stream().anyMatch(one -> one.result() instanceof FillReport.Written);
    Conclusion conclusion =
        new Conclusion(
            new AdmissionResponse(
                new Allowed(patch),
                warnings.lines(),
                writes ? Map.of("decision", "Filled") : Map.of()),
            writes ? new WebhookOutcome.Filled() : new WebhookOutcome.Unchanged(),
            null);
    // Called again, it writes nothing, and a template is counted once.
    return patch.isEmpty()
        ? conclusion.withFills(
            reports.stream().filter(one -> one.result() instanceof FillReport.Left).toList())
        : conclusion.withFills(reports);
  }
}
