package dev.cotenant.learning.file;

/** A file that {@link FileFormat} cannot read; the message is a clause without its subject. */
public final class FileFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Kind of the problem. */
  public enum Problem {
    /** A file of a different kind. */
    OTHER_KIND,
    /** It is larger than the format allows. */
    TOO_LARGE,
    /** Another release wrote it. */
    OTHER_VERSION,
    /** Its bytes do not match its checksum, or its content is impossible. */
    DAMAGED
  }

  private final Problem problem;

  FileFormatException(Problem problem, String message) {
    super(message);
    this.problem = problem;
  }

  /** What is wrong. */
  public Problem problem() {
    return problem;
  }
}
