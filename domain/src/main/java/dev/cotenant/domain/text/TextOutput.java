package dev.cotenant.domain.text;

/** Where lines of text are printed. */
public interface TextOutput {
  /** Prints a line. */
  void line(String text);

  /** Characters that a line has room for. */
  int width();
}
