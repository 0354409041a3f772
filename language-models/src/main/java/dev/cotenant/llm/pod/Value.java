package dev.cotenant.llm.pod;

/**
 * A setting with its source.
 *
 * @param text its value
 * @param source where it was read, such as {@code args}, {@code image} or {@code env MODEL_ID}
 */
public record Value(String text, String source) {
  /** Most characters of either; what is longer is cut. */
  public static final int MAX = 4 << 10;

  public Value {
    text = cut(text);
    source = cut(source);
  }

  static String cut(String text) {
    if (text.length() <= MAX) {
      return text;
    }
    return text.substring(0, Character.isHighSurrogate(text.charAt(MAX - 1)) ? MAX - 1 : MAX);
  }
}
