package dev.cotenant.admission.fill.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.decision.MemoryBounds;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.fill.Fill;
import dev.cotenant.admission.fill.FillCause;
import dev.cotenant.admission.fill.FillOomKills;
import dev.cotenant.admission.fill.FillRecord;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuDialect.MemoryField;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Mode;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Plans the filling of pod requests; stateless except for observed kills. */
public final class Filler {
  /** KAI counts hundredths of a GPU, and refuses a request beyond the last. */
  private static final double MAX_OF_A_CARD = 0.99;

  private final PodRequestReader reader = new PodRequestReader();
  private final PodDecisions decisions;
  private final FillOomKills kills;

  public Filler(PodDecisions decisions, FillOomKills kills) {
    this.decisions = decisions;
    this.kills = kills;
  }

  /**
   * The result of filling for a pod.
   *
   * @param after the pod with its memory filled in; unchanged if nothing is written
   */
  public record Plan(JsonNode after, FillReport report) {}

  /**
   * The pod as submitted, before filling. One whose template was filled keeps that number, which
   * may have been charged already, unless its workload ran out of it.
   */
  public JsonNode original(JsonNode json, String namespace) {
    JsonNode original = FillRecord.original(json);
    MemorySize charged =
        FillRecord.of(json)
            .filter(record -> record.ofTemplate() && record.isIn(json))
            .map(FillRecord::memory)
            .orElse(null);
    if (charged == null) {
      return original;
    }
    boolean ranOut =
        reader.read(original, namespace) instanceof Colocatable pod
            && charged.isAtMost(tooLittle(pod));
    return ranOut ? original : json;
  }

  /** Whether too many pods of a namespace ran out of filled memory. */
  public boolean isOverBudget(String namespace, Policy policy) {
    return kills.ofWeek(namespace) > policy.filling().killsPerWeek();
  }

  /** Plans the filling of a submitted pod. */
  public Plan plan(Colocatable pod, JsonNode json, Policy policy, Intent intent) {
    FillSubject subject = new FillSubject(pod, json, policy, intent);
    GpuDialect spoken = pod.gpu().dialect();
    if (reader.requesting(json) > 1) {
      return subject.left(FillCause.SEVERAL_CONTAINERS, "several containers request GPUs");
    }
    String wish =
        json.path("metadata").path("annotations").path(CotenantAnnotations.FILL).asText("");
    Optional<GpuDialect> wished = FillRecord.dialect(wish);
    if (wish.equals("never")) {
      return subject.left(FillCause.NEVER, "its annotation says never");
    }
    if (spoken.memoryField().isPresent() && !Fill.isMissing(json, pod.gpu().container(), spoken)) {
      return stated(subject);
    }
    if (!wish.isEmpty() && wished.isEmpty()) {
      return subject.left(
          FillCause.BAD_ANNOTATION,
          CotenantAnnotations.FILL + " must be never, " + FillRecord.dialects());
    }
    if (spoken.memoryField().isPresent()) {
      return missing(subject, spoken);
    }
    GpuDialect target = wished.orElse(policy.filling().target());
    return target == null || !Fill.isWhole(json, pod.gpu().container())
        ? subject.left(FillCause.WHOLE_GPUS, "it requests whole GPUs")
        : missing(subject, target);
  }

  private Plan missing(FillSubject subject, GpuDialect dialect) {
    Colocatable pod = subject.pod();
    MemoryField field = dialect.memoryField().orElseThrow();
    if (!field.replaces(pod.gpu().gpus())) {
      return subject.left(
          FillCause.ONE_GPU_ALONE, dialect.word() + " states the memory of one GPU alone");
    }
    MemoryBounds bounds = decisions.bounds(pod, subject.least(field));
    Plan left = unpredicted(subject, bounds);
    if (left != null) {
      return left;
    }
    FillBound bound = FillBound.of(subject, bounds).orElse(null);
    if (bound == null) {
      return subject.left(
          FillCause.NOT_COVERED, "its memory is assumed, without measured coverage");
    }
    Plan refused = refused(subject, bound, bounds.largest());
    if (refused != null) {
      return refused;
    }
    Integer cores = bounds.sharePercent().orElse(null);
    Fill fill = fill(subject, dialect, bound, cores);
    ObjectNode after = fill.copy(subject.json());
    FillRecord record = fill.into(after, pod.gpu().dialect());
    FillRecord argued = subject.server() == null ? record : argued(subject, after, record);
    return argued == null
        ? subject.left(
            FillCause.ENGINE,
            "its server takes a share of the visible GPU memory; fix its KV cache")
        : new Plan(
            after,
            subject.report(
                dialect,
                new FillReport.Written(
                    argued, bounds.largest().minusOrZero(bound.memory()), false, "")));
  }

  private static Fill fill(
      FillSubject subject, GpuDialect dialect, FillBound bound, @Nullable Integer cores) {
    Colocatable pod = subject.pod();
    return new Fill(
        dialect, pod.gpu().container(), pod.gpu().gpus(), bound.memory(), cores, bound.words());
  }

  /** Why no bound is known; null where one is. */
  private static @Nullable Plan unpredicted(FillSubject subject, MemoryBounds bounds) {
    if (subject.pod().workload().workload().isEmpty()) {
      return subject.left(FillCause.UNKNOWN_MODEL, "its model is not named");
    }
    if (bounds.largest().equals(MemorySize.ZERO)) {
      return subject.left(FillCause.NO_GPU, "there is no known GPU for it");
    }
    if (bounds.predictions().isEmpty()) {
      return subject.pod().gpu().gpus() > 1
          ? subject.left(FillCause.SEVERAL_GPUS, "its memory on several GPUs is not predicted")
          : subject.left(FillCause.UNKNOWN_MODEL, "its model is unknown");
    }
    return bounds.isCovered()
        ? null
        : subject.left(
            FillCause.NOT_COVERED, "no bound of its memory reaches the required coverage");
  }

  /** Why a bound is not written; null where it is. */
  private @Nullable Plan refused(FillSubject subject, FillBound bound, MemorySize largest) {
    if (!bound.memory().isAtMost(largest.times(MAX_OF_A_CARD))) {
      return subject.left(FillCause.WHOLE_CARD, "it needs a whole GPU, " + bound.words());
    }
    MemorySize tooLittle = tooLittle(subject.pod());
    if (bound.memory().isAtMost(tooLittle)) {
      return subject.left(
          FillCause.KILLED,
          "it ran out of memory with " + tooLittle + ", and there is no larger bound yet");
    }
    return isOverBudget(subject.pod().pod().namespace(), subject.policy())
        ? subject.left(FillCause.BUDGET, "too many pods of its namespace ran out of memory")
        : null;
  }

  private MemorySize tooLittle(Colocatable pod) {
    String namespace = pod.pod().namespace();
    return kills.hasAny(namespace)
        ? pod.workload()
            .workload()
            .flatMap(workload -> kills.tooLittle(namespace, FillOomKills.key(workload)))
            .orElse(MemorySize.ZERO)
        : MemorySize.ZERO;
  }

  /** The record with an argument that limits the server to its memory; null if no argument does. */
  private @Nullable FillRecord argued(FillSubject subject, ObjectNode after, FillRecord record) {
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
                decisions.bounds(filled, subject.least(field)).predictions())
            .map(added -> Fill.argue(after, record, added.argument()))
            .orElse(null)
        : null;
  }

  /**
   * The pod states its memory: adds a sentence if it differs from the prediction; mode Cap lowers
   * it.
   */
  private Plan stated(FillSubject subject) {
    Colocatable pod = subject.pod();
    MemoryField field = subject.spoken().memoryField().orElseThrow();
    MemoryBounds bounds = decisions.bounds(pod, subject.least(field));
    FillBound bound =
        unpredicted(subject, bounds) != null
            ? null
            : (subject.server() == null ? FillBound.of(subject, bounds) : FillBound.needed(bounds))
                .orElse(null);
    if (bound == null) {
      return subject.left(FillCause.STATED, "");
    }
    StatedMemory states = StatedMemory.of(pod.gpu().memory(), bounds);
    String sentence = sentence(states, bound);
    Integer cores = bounds.sharePercent().orElse(null);
    if (lowers(subject, states, bound) && refused(subject, bound, bounds.largest()) == null) {
      MemorySize freed = states.most().minusOrZero(bound.memory());
      return written(subject, fill(subject, subject.spoken(), bound, cores), freed, sentence);
    }
    return cores != null && Fill.lacksCores(subject.json(), pod.gpu().container(), subject.spoken())
        ? written(subject, Fill.ofCores(pod.gpu(), cores), MemorySize.ZERO, sentence)
        : subject.left(FillCause.STATED, sentence);
  }

  private static String sentence(StatedMemory states, FillBound bound) {
    String sentence = "states " + states.words() + ", " + bound.words();
    if (!bound.mean().isAtMost(states.least())) {
      return sentence + ": it may run out of memory";
    }
    return states.most().isAtMost(bound.memory()) ? "" : sentence;
  }

  /**
   * Whether the policy lowers the pod's stated memory: mode cap, stated under the written name,
   * above the bound, not a server.
   */
  private static boolean lowers(FillSubject subject, StatedMemory states, FillBound bound) {
    Colocatable pod = subject.pod();
    return subject.policy().mode() == Mode.CAP
        && subject.server() == null
        && !states.most().isAtMost(bound.memory())
        && Fill.isStatedByName(subject.json(), pod.gpu().container(), subject.spoken());
  }

  private static Plan written(FillSubject subject, Fill fill, MemorySize freed, String sentence) {
    ObjectNode after = fill.copy(subject.json());
    FillRecord record = fill.into(after, subject.spoken());
    boolean lowered = fill.memory() != null;
    return new Plan(
        after,
        subject.report(
            subject.spoken(),
            new FillReport.Written(record, freed, lowered, lowered ? "" : sentence)));
  }
}
