package dev.cotenant.forecast.prometheus;

import java.util.List;

/** What one look at a server gave. */
public sealed interface MetricsReading {
  /**
   * The devices it knows, by uuid.
   *
   * @param dropped what was left out
   * @param warnings the server's own, one line each
   */
  record Fetched(List<DeviceMetrics> devices, DroppedSamples dropped, List<String> warnings)
      implements MetricsReading {
    public Fetched {
      devices = List.copyOf(devices);
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * Nothing that can be used.
   *
   * @param message one line that names the server and what to do
   */
  record Failed(Cause cause, String message) implements MetricsReading {}

  /** Why there is nothing. */
  enum Cause {
    UNREACHABLE,
    /** A certificate, the server's or this client's, was not accepted by the other side. */
    UNTRUSTED,
    /** The file of the bearer token holds none; nothing was sent. */
    NO_TOKEN,
    TIMED_OUT,
    TOO_LARGE,
    REFUSED,
    MALFORMED
  }
}
