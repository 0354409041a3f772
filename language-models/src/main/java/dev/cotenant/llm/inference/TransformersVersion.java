package dev.cotenant.llm.inference;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of transformers.
 *
 * @param major first number
 * @param minor second number
 */
public record TransformersVersion(int major, int minor) {
  private static final Pattern TEXT =
      Pattern.compile("v?([0-9]{1,4})\\.([0-9]{1,4})(?:[.+a-z-].*)?");

  /** Versions that differ in memory. */
  public enum Release {
    /** Up to 4.44: logits of the whole prompt, in half precision and in fp32. */
    WHOLE_PROMPT(38),
    /** 4.45 to 4.50: logits of the last token; the prefill's widest layer shows. */
    LAST_TOKEN(46),
    /** From 4.51. */
    LEAN(51);

    private final int minor;

    Release(int minor) {
      this.minor = minor;
    }

    /** The measured version with the same minor number. */
    public TransformersVersion measured() {
      return new TransformersVersion(4, minor);
    }
  }

  /**
   * Parses a text such as {@code 4.46.0}.
   *
   * @throws InputException ({@code bad-engine-version})
   */
  public static TransformersVersion of(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw InputException.invalidArgument(
          "bad-engine-version",
          "'"
              + PlainText.of(text)
              + "' is not a version of transformers; write it as 4.46 or 4.46.0.");
    }
    return new TransformersVersion(
        Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
  }

  /** Release of this version. */
  public Release release() {
    int number = major * 10_000 + minor;
    return number < 40_045
        ? Release.WHOLE_PROMPT
        : number < 40_051 ? Release.LAST_TOKEN : Release.LEAN;
  }

  /** Whether runs of it were measured: 4.38, 4.46 and 4.51. */
  boolean isMeasured() {
    return equals(release().measured());
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
