package dev.cotenant.admission.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.decision.MemoryBounds;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.fill.Fill;
import dev.cotenant.admission.fill.FillCause;
import dev.cotenant.admission.fill.FillKills;
import dev.cotenant.admission.fill.FillRecord;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.DeclaredMemory;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuDialect.MemoryField;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Mode;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.EngineRun;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Plans what is written into the request of a pod; stateless but for the kills that were seen. */
final class Filler {
  /** Where the memory is a limit, a bound of 90 % would end one pod in ten. */
  private static final Coverage WHERE_ENFORCED = Coverage.of(0.99);

  /** KAI counts hundredths of a card, and refuses a request beyond the last. */
  private static final double MOST_OF_A_CARD = 0.99;

  private final PodRequestReader reader = new PodRequestReader();
  private final PodDecisions decisions;
  private final FillKills kills;

  Filler(PodDecisions decisions, FillKills kills) {
    this.decisions = decisions;
    this.kills = kills;
  }

  /**
   * What is to be done with a pod.
   *
   * @param after the pod with its memory filled in; as it was where nothing is written
   */
  record Plan(JsonNode after, FillReport report) {}

  /** A pod as it was. */
  private record Subject(Colocatable pod, JsonNode json, Policy policy, Intent intent) {
    Plan left(FillCause cause, String sentence) {
      return new Plan(json, report(pod.gpu().dialect(), new FillReport.Left(cause, sentence)));
    }

    FillReport report(GpuDialect dialect, FillReport.Result result) {
      return new FillReport(pod.pod(), policy.mode(), dialect, result, intent);
    }

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
  }

  /** A bound of memory on every product, and what it rests on. */
  private record Bound(MemorySize memory, MemorySize mean, String words) {}

  /** Whether too many pods of a namespace ran out of filled memory. */
  boolean isOverBudget(String namespace, Policy policy) {
    return kills.ofWeek(namespace) > policy.filling().killsPerWeek();
  }

  /** Plans for a pod as it was before it was filled. */
  Plan plan(Colocatable pod, JsonNode json, Policy policy, Intent intent) {
    Subject subject = new Subject(pod, json, policy, intent);
    GpuDialect spoken = pod.gpu().dialect();
    if (reader.requesting(json) > 1) {
      return subject.left(FillCause.SEVERAL_CONTAINERS, "several containers request GPUs");
    }
    if (spoken.memoryField().isPresent() && !Fill.isMissing(json, pod.gpu().container(), spoken)) {
      return stated(subject);
    }
    String wish = json.at("/metadata/annotations").path(CotenantAnnotations.FILL).asText("");
    Optional<GpuDialect> wished = FillRecord.dialect(wish);
    if (wish.equals("never")) {
      return subject.left(FillCause.NEVER, "its annotation says never");
    }
    if (!wish.isEmpty() && wished.isEmpty()) {
      return subject.left(
          FillCause.BAD_ANNOTATION,
          CotenantAnnotations.FILL + " must be never, hami, kai, gpushare, volcano or koordinator");
    }
    if (spoken.memoryField().isPresent()) {
      return missing(subject, spoken);
    }
    GpuDialect target = wished.orElse(policy.filling().target());
    return target == null || !Fill.isWhole(json, pod.gpu().container())
        ? subject.left(FillCause.WHOLE_GPUS, "it requests whole GPUs")
        : missing(subject, target);
  }

  private Plan missing(Subject subject, GpuDialect dialect) {
    Colocatable pod = subject.pod();
    MemoryField field = dialect.memoryField().orElseThrow();
    if (!field.replaces(pod.gpu().gpus())) {
      return subject.left(
          FillCause.ONE_GPU_ALONE, dialect.word() + " states the memory of one GPU alone");
    }
    MemoryBounds bounds = decisions.bounds(pod, least(subject, field));
    Plan left = unpredicted(subject, bounds);
    if (left != null) {
      return left;
    }
    Bound bound = bound(subject, bounds);
    if (bound == null) {
      return subject.left(FillCause.NOT_COVERED, "the memory that it needs is assumed");
    }
    Plan refused = refused(subject, bound, bounds.largest());
    if (refused != null) {
      return refused;
    }
    Integer cores = bounds.sharePercent().orElse(null);
    ObjectNode after = subject.json().deepCopy();
    FillRecord record = fill(subject, dialect, bound, cores).into(after, pod.gpu().dialect());
    FillRecord argued = subject.server() == null ? record : argued(subject, after, record);
    return argued == null
        ? subject.left(
            FillCause.ENGINE, "its server takes a share of the card that it sees; fix its KV cache")
        : new Plan(
            after,
            subject.report(
                dialect,
                new FillReport.Written(
                    argued, bounds.largest().minusOrZero(bound.memory()), false)));
  }

  private static Fill fill(
      Subject subject, GpuDialect dialect, Bound bound, @Nullable Integer cores) {
    Colocatable pod = subject.pod();
    return new Fill(
        dialect, pod.gpu().container(), pod.gpu().gpus(), bound.memory(), cores, bound.words());
  }

  private static Coverage least(Subject subject, MemoryField field) {
    boolean enforced =
        switch (field.enforced()) {
          case ALWAYS -> true;
          case BY_LABEL -> subject.json().at("/metadata/labels").has(GpuDialect.ISOLATION_LABEL);
          case NEVER -> false;
        };
    return enforced ? WHERE_ENFORCED : Coverage.of(0);
  }

  /** Why no bound is known; null where one is. */
  private static @Nullable Plan unpredicted(Subject subject, MemoryBounds bounds) {
    if (subject.pod().workload().workload().isEmpty()) {
      return subject.left(FillCause.UNKNOWN_MODEL, "nothing names its model");
    }
    if (bounds.largest().equals(MemorySize.ZERO)) {
      return subject.left(FillCause.NO_GPU, "no GPU is known that it may run on");
    }
    if (bounds.predictions().isEmpty()) {
      return subject.pod().gpu().gpus() > 1
          ? subject.left(FillCause.SEVERAL_GPUS, "its memory on several GPUs is not predicted")
          : subject.left(FillCause.UNKNOWN_MODEL, "nothing is known of its model");
    }
    return bounds.isCovered()
        ? null
        : subject.left(
            FillCause.NOT_COVERED, "no bound of its memory holds as often as is required");
  }

  /** The largest of all products, and what the pod states where that is more. */
  private static @Nullable Bound bound(Subject subject, MemoryBounds bounds) {
    Prediction worst = bounds.worst().orElseThrow();
    MemorySize memory = worst.peakMemory().upper();
    MemorySize mean = worst.peakMemory().mean();
    EngineMemory engine = worst.engine();
    EngineMemory.Least least = engine == null ? null : engine.least();
    if (subject.isLimitedByUs() && least != null) {
      if (least.coverage() == null) {
        return null;
      }
      memory = least.upper();
      mean = least.mean();
    }
    String words =
        "predicted at most "
            + memory
            + " in "
            + worst.peakMemory().coverage()
            + " of cases on "
            + worst.device();
    MemorySize own = subject.pod().workload().gpuMemory();
    return own == null || own.isAtMost(memory)
        ? new Bound(memory, mean, words)
        : new Bound(own, mean, CotenantAnnotations.GPU_MEMORY + " states " + own + ", " + words);
  }

  /** Why a bound is not written; null where it is. */
  private @Nullable Plan refused(Subject subject, Bound bound, MemorySize largest) {
    if (!bound.memory().isAtMost(largest.times(MOST_OF_A_CARD))) {
      return subject.left(FillCause.WHOLE_CARD, "it needs a whole GPU, " + bound.words());
    }
    MemorySize tooLittle = tooLittle(subject.pod());
    if (bound.memory().isAtMost(tooLittle)) {
      return subject.left(
          FillCause.KILLED,
          "it ran out of memory with " + tooLittle + ", and no larger bound was learned since");
    }
    return isOverBudget(subject.pod().pod().namespace(), subject.policy())
        ? subject.left(FillCause.BUDGET, "too many pods of its namespace ran out of memory")
        : null;
  }

  private MemorySize tooLittle(Colocatable pod) {
    return pod.workload()
        .workload()
        .flatMap(workload -> kills.tooLittle(pod.pod().namespace(), FillKills.key(workload)))
        .orElse(MemorySize.ZERO);
  }

  /** With the argument that keeps the server within its memory; null where it cannot be kept. */
  private @Nullable FillRecord argued(Subject subject, ObjectNode after, FillRecord record) {
    if (!subject.isLimitedByUs()) {
      boolean isCut = record.dialect().showsRequestedMemory();
      return isCut && !EngineBudgets.fixesCache(subject.pod()) ? null : record;
    }
    MemoryField field = record.dialect().memoryField().orElseThrow();
    return reader.read(after, subject.pod().pod().namespace()) instanceof Colocatable filled
        ? EngineBudgets.added(
                filled,
                subject.policy(),
                after,
                reader.gpuContainers(after),
                decisions.bounds(filled, least(subject, field)).predictions())
            .map(added -> Fill.argue(after, record, added.argument()))
            .orElse(null)
        : null;
  }

  /** Memory that the pod states: a sentence where it is not what is predicted; Cap lowers it. */
  private Plan stated(Subject subject) {
    Colocatable pod = subject.pod();
    GpuDialect dialect = pod.gpu().dialect();
    Plan silent = subject.left(FillCause.STATED, "");
    if (!(pod.gpu().memory() instanceof DeclaredMemory.Amount(MemorySize states))
        || subject.server() != null) {
      return silent;
    }
    MemoryBounds bounds =
        decisions.bounds(pod, least(subject, dialect.memoryField().orElseThrow()));
    Bound bound = unpredicted(subject, bounds) == null ? bound(subject, bounds) : null;
    if (bound == null) {
      return silent;
    }
    String sentence = "states " + states + ", " + bound.words();
    if (states.isAtMost(bound.memory())) {
      return bound.mean().isAtMost(states)
          ? silent
          : subject.left(FillCause.STATED, sentence + ": it may run out of memory");
    }
    if (subject.policy().mode() != Mode.CAP || refused(subject, bound, bounds.largest()) != null) {
      return subject.left(FillCause.STATED, sentence);
    }
    ObjectNode after = subject.json().deepCopy();
    FillRecord record = fill(subject, dialect, bound, null).into(after, dialect);
    return new Plan(
        after,
        subject.report(
            dialect, new FillReport.Written(record, states.minusOrZero(bound.memory()), true)));
  }
}
