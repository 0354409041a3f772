package dev.cotenant.llm.serving;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A release of vLLM.
 *
 * @param major first number
 * @param minor second number
 */
public record VllmVersion(int major, int minor) implements Comparable<VllmVersion> {
  /** The newest that was measured; taken where a pod names none. */
  public static final VllmVersion MEASURED = new VllmVersion(0, 19);

  /** From this on the memory of CUDA graphs counts within the utilization [vLLM PR 38284]. */
  private static final VllmVersion GRAPHS_INSIDE = new VllmVersion(0, 21);

  /** From this on cards of 70 GiB and more take 1,024 sequences by default. */
  private static final VllmVersion MANY_SEQUENCES = new VllmVersion(0, 10);

  private static final VllmVersion LEAN_SAMPLER = new VllmVersion(0, 17);
  private static final VllmVersion MIN_MEASURED = new VllmVersion(0, 17);
  private static final int NEAR = 16;
  private static final Pattern TEXT =
      Pattern.compile("v?([0-9]{1,4})\\.([0-9]{1,4})(?:[.+a-z-][A-Za-z0-9._+-]{0,100})?");

  /**
   * Of a text such as {@code 0.19}, {@code v0.19.0} or {@code 0.19.0-x86_64}.
   *
   * @throws InputException ({@code bad-engine-version})
   */
  public static VllmVersion of(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw InputException.invalidArgument(
          "bad-engine-version",
          "'" + PlainText.of(text) + "' is not a version of vLLM; write it as 0.19 or 0.19.0.");
    }
    return new VllmVersion(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
  }

  /** Whether it is newer than what was measured, and may know more values of an argument. */
  public boolean isNewer() {
    return compareTo(MEASURED) > 0;
  }

  /** Default of {@code --gpu-memory-utilization}. */
  public double defaultUtilization() {
    return countsGraphs() ? 0.92 : 0.90;
  }

  /**
   * By how much the default of {@code --gpu-memory-utilization} may be larger in newer releases.
   */
  double newerShare() {
    return GRAPHS_INSIDE.defaultUtilization() - defaultUtilization();
  }

  /** Whether the estimated CUDA graphs lie within the utilization by default. */
  public boolean countsGraphs() {
    return compareTo(GRAPHS_INSIDE) >= 0;
  }

  boolean takesManySequences() {
    return compareTo(MANY_SEQUENCES) >= 0;
  }

  /** Whether the sampler sorts logits in place; older ones take 36 bytes a logit beside it. */
  boolean hasLeanSampler() {
    return compareTo(LEAN_SAMPLER) >= 0;
  }

  /** Whether a default batch has no more tokens than its sequences can have; older ones differ. */
  boolean limitsDefaults() {
    return compareTo(MIN_MEASURED) >= 0;
  }

  /** Whether it is at most 16 minor releases from the newest that is measured. */
  boolean isNear() {
    return major == MEASURED.major
        ? Math.abs(minor - MEASURED.minor) <= NEAR
        : major == MEASURED.major + 1 && minor <= NEAR;
  }

  /** Whether the coefficients were measured with this release: 0.17 to 0.19. */
  public boolean isMeasured() {
    return compareTo(MIN_MEASURED) >= 0 && compareTo(MEASURED) <= 0;
  }

  @Override
  public int compareTo(VllmVersion other) {
    return major != other.major
        ? Integer.compare(major, other.major)
        : Integer.compare(minor, other.minor);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
