package dev.cotenant.domain.text;

/** Where lines of text are printed. */
public interface TextOutput {
  /** Prints a line. */
  void line(String text);

  /** Line width in characters. */
  int width();
}
