package dev.cotenant.engine.lifecycle;

import java.util.Objects;

/** The request does not fit the present state; nothing has changed. The edge answers 409. */
public final class ConflictException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String code;

  /**
   * @param code stable kebab-case identifier, such as {@code training-running}
   * @param message one line that names the obstacle and the remedy
   */
  public ConflictException(String code, String message) {
    super(message);
    this.code = Objects.requireNonNull(code, "code");
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
