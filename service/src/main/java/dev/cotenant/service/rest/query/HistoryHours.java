package dev.cotenant.service.rest.query;

import dev.cotenant.domain.InputException;
import dev.cotenant.service.history.HistoryRecorder;
import jakarta.ws.rs.QueryParam;
import java.time.Duration;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.jspecify.annotations.Nullable;

/** How far back a history is wanted. */
public final class HistoryHours {
  private static final int STANDARD = 24;
  private static final int MAX = 24 * 400;

  @QueryParam("hours")
  @Parameter(description = "Hours to now, 1 to 9600; absent: 24", example = "24")
  @Nullable String hours;

  /**
   * The number of hours.
   *
   * @throws InputException ({@code bad-number})
   */
  public int hours() {
    int wanted = QueryNumbers.positiveOr(STANDARD, "hours", hours);
    if (wanted > MAX) {
      throw InputException.invalidArgument(
          "bad-number", "Parameter hours: " + wanted + " is more than " + MAX + ".");
    }
    return wanted;
  }

  /** The first minute since 1970. */
  public long from() {
    return HistoryRecorder.minute(Instant.now().minus(Duration.ofHours(hours())));
  }
}
