package dev.cotenant.cli.terminal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.domain.text.TextOutput;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** Where a command prints: results on standard output, everything else on standard error. */
public final class Console implements TextOutput {
  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean interactive;
  private final int width;
  private @Nullable ObjectWriter json;

  /** Standard error is taken for a file, not a terminal. */
  public static Console ofWriters(PrintWriter out, PrintWriter err) {
    return new Console(out, err, false, Integer.MAX_VALUE);
  }

  /** Standard error is a terminal, on which a line can be overwritten. */
  public static Console ofTerminal(PrintWriter out, PrintWriter err) {
    return new Console(out, err, true, Integer.MAX_VALUE);
  }

  private Console(PrintWriter out, PrintWriter err, boolean interactive, int width) {
    this.out = out;
    this.err = err;
    this.interactive = interactive;
    this.width = width;
  }

  /** The same with tables of at most this many characters a line. */
  public Console ofWidth(int characters) {
    return new Console(out, err, interactive, characters);
  }

  /** Standard output. */
  public PrintWriter out() {
    return out;
  }

  /** Standard error. */
  public PrintWriter err() {
    return err;
  }

  /** One line of a result. */
  @Override
  public void line(String text) {
    out.println(text);
    out.flush();
  }

  @Override
  public int width() {
    return width;
  }

  /** Lines of a result that end in line feeds, from a service; control characters become spaces. */
  public void text(String lines) {
    lines.lines().forEach(line -> line(PlainText.of(line, " ")));
  }

  /** One line about the result or the work on it. */
  public void note(String text) {
    err.println(text);
    err.flush();
  }

  /** One line about what went wrong, whatever the message holds. */
  public void error(String message) {
    note("cotenant: " + oneLine(message));
  }

  /** One JSON object on a line of its own. */
  public void json(Object view) {
    ObjectWriter writer = json;
    if (writer == null) {
      writer = JsonMapper.builder().build().writer();
      json = writer;
    }
    try {
      line(writer.writeValueAsString(view));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a view can always be written", e);
    }
  }

  /** A display of work that takes a while. */
  public Progress progress(String title) {
    return new Progress(err, title, interactive);
  }

  /** Control characters, line breaks among them, become spaces. */
  private static String oneLine(String text) {
    return PlainText.of(text, " ").strip();
  }
}
