package dev.cotenant.domain;

import dev.cotenant.domain.text.Suggestion;
import java.util.Collection;
import java.util.Objects;

/**
 * Input from outside that cannot be used: a file, an argument, a document.
 *
 * <p>The message is one line that names the thing and says what to do. It is thrown wherever the
 * input is understood and mapped once, at the edge: exit code, problem document or admission
 * response.
 */
public final class InputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Kind of the error, mapped to an exit code or an HTTP status at the edge. */
  public enum Kind {
    /** An argument outside its range or vocabulary: exit code 2, HTTP 400. */
    INVALID_ARGUMENT,
    /** A file or name that is not there: exit code 1, HTTP 404. */
    NOT_FOUND,
    /** Invalid content: exit code 1, HTTP 422. */
    MALFORMED,
    /** Content beyond a stated limit: exit code 1, HTTP 413. */
    TOO_LARGE
  }

  private final Kind kind;
  private final String code;

  /**
   * @param kind what is wrong
   * @param code stable kebab-case identifier, such as {@code unknown-device}
   * @param message one line that names the subject and the remedy
   */
  public InputException(Kind kind, String code, String message) {
    super(Objects.requireNonNull(message, "message"));
    this.kind = Objects.requireNonNull(kind, "kind");
    this.code = Objects.requireNonNull(code, "code");
  }

  /** As above, with the cause for the log. */
  public InputException(Kind kind, String code, String message, Throwable cause) {
    this(kind, code, message);
    initCause(cause);
  }

  /** An argument outside its range or vocabulary. */
  public static InputException invalidArgument(String code, String message) {
    return new InputException(Kind.INVALID_ARGUMENT, code, message);
  }

  /**
   * A name outside its vocabulary; the code is {@code unknown-KIND}, the message suggests the known
   * name that is nearest and lists all.
   */
  public static InputException unknown(String kind, String name, Collection<String> known) {
    return invalidArgument(
        "unknown-" + kind.replace(' ', '-'),
        "Unknown "
            + kind
            + " '"
            + name
            + "'"
            + Suggestion.words(name, known)
            + ": use one of "
            + String.join(", ", known)
            + ".");
  }

  /** A file or name that is not there. */
  public static InputException notFound(String code, String message) {
    return new InputException(Kind.NOT_FOUND, code, message);
  }

  /** Invalid content. */
  public static InputException malformed(String code, String message) {
    return new InputException(Kind.MALFORMED, code, message);
  }

  /** Content beyond a stated limit. */
  public static InputException tooLarge(String code, String message) {
    return new InputException(Kind.TOO_LARGE, code, message);
  }

  /** What is wrong. */
  public Kind kind() {
    return kind;
  }

  /** Stable kebab-case identifier. */
  public String code() {
    return code;
  }

  /** The message; never null. */
  @Override
  public String getMessage() {
    return Objects.requireNonNull(super.getMessage());
  }
}
