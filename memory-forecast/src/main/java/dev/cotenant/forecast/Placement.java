package dev.cotenant.forecast;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;

/** Whether the ResAware chain lets a request onto a device. */
public sealed interface Placement {
  /** What each stage that was asked said, in the order of asking. */
  List<StageAnswer> answers();

  /**
   * The request may be scheduled.
   *
   * @param stage the stage that let it in, the last of {@code answers}
   * @param free what that stage holds to be free
   */
  record Fits(String stage, MemorySize free, List<StageAnswer> answers) implements Placement {
    public Fits {
      answers = List.copyOf(answers);
    }
  }

  /** No stage lets it in; it goes back into the queue. */
  record DoesNotFit(List<StageAnswer> answers) implements Placement {
    public DoesNotFit {
      answers = List.copyOf(answers);
    }
  }
}
