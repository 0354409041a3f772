package dev.cotenant.engine.serving;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which constants a namespace's predictions of one release of vLLM use from then on. The newest is
 * in force.
 *
 * @param namespace of the pods
 * @param release of vLLM
 * @param number 1, 2, … within namespace and release
 * @param at when
 * @param by its requester; {@code cotenant} where starts decided
 * @param grounds why
 * @param back number of the restored version, 0 for the shipped ones; null for a new version
 * @param starts how many it rests on
 * @param constants as {@link dev.cotenant.llm.serving.ServingConstants} writes them; null for the
 *     shipped ones
 * @param reason in words
 */
public record ServingVersion(
    String namespace,
    String release,
    long number,
    Instant at,
    String by,
    Grounds grounds,
    @Nullable Long back,
    int starts,
    @Nullable String constants,
    String reason) {
  /** Why constants come in force. */
  public enum Grounds {
    /** They predict starts better than the shipped ones, and than those in force. */
    BETTER,
    /** The shipped ones predict starts better again. */
    WORSE,
    /** A person went back. */
    ROLLBACK
  }
}
