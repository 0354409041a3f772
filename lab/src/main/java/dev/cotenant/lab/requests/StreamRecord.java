package dev.cotenant.lab.requests;

/** Counts of one stream while it runs. */
final class StreamRecord {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double P99 = 0.99;

  private final RequestStream stream;
  private final long sloNanos;
  private final LatencyHistogram recent = new LatencyHistogram();
  private long arrived;
  private long late;
  private long dropped;
  private long served;
  private double sumNanos;
  private double presenceNanos;
  private long changed;

  StreamRecord(RequestStream stream) {
    this.stream = stream;
    sloNanos = Math.round(stream.sloMillis() * NANOS_PER_MILLI);
  }

  RequestStream stream() {
    return stream;
  }

  long sloNanos() {
    return sloNanos;
  }

  void arrive(long now) {
    change(now);
    arrived++;
  }

  void drop(long now) {
    change(now);
    dropped++;
  }

  void serve(long since, long now) {
    change(now);
    served++;
    late += now - since > sloNanos ? 1 : 0;
    sumNanos += now - since;
    recent.add(now - since);
  }

  /** The 99th percentile since the last call, milliseconds; 0 where none was served. */
  double takeRecentP99Millis() {
    double millis = recent.quantile(P99) / NANOS_PER_MILLI;
    recent.clear();
    return millis;
  }

  /** Adds the requests that were there since the last change. */
  private void change(long now) {
    presenceNanos += (double) present() * (now - changed);
    changed = now;
  }

  private long present() {
    return arrived - served - dropped;
  }

  /** The counts so far. */
  ServingTotals.Stream totals(long now) {
    change(now);
    return new ServingTotals.Stream(
        stream.name(),
        counts(),
        served == 0 ? 0 : sumNanos / served / NANOS_PER_MILLI,
        now == 0 ? 0 : presenceNanos / now);
  }

  ServingTotals.Counts counts() {
    return new ServingTotals.Counts(arrived, served - late, late, dropped);
  }
}
