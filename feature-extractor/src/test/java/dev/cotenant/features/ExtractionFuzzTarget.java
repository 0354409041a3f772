package dev.cotenant.features;

/** Any bytes, read and extracted at a batch and extents that the last bytes say. */
public final class ExtractionFuzzTarget {
  private ExtractionFuzzTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] content) {
    SafetyCheck.extractAsDrawn(content);
  }
}
