package dev.cotenant.features;

/** Any bytes, read. */
public final class ReaderFuzzTarget {
  private ReaderFuzzTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] content) {
    SafetyCheck.read(content);
  }
}
