package dev.cotenant.forecast;

import dev.cotenant.domain.quantity.MemorySize;

/** What one stage of the chain made of a request. */
public sealed interface StageAnswer {
  /** The stage's name: {@code agnostic}, {@code cbp} or {@code pp}. */
  String stage();

  /** One line with the numbers it looked at. */
  String reason();

  /** The request fits into {@code free}. */
  record Satisfied(String stage, MemorySize free, String reason) implements StageAnswer {}

  /** The stage has an estimate, but the request does not fit into {@code free}. */
  record TooLarge(String stage, MemorySize free, String reason) implements StageAnswer {}

  /** The stage has no estimate. */
  record NoEstimate(String stage, String reason) implements StageAnswer {}
}
