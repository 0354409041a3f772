package dev.cotenant.engine.lifecycle;

import java.util.Objects;

/** The quota for stored objects is exhausted; nothing has changed. The edge answers 507. */
public final class QuotaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String code;

  /**
   * @param code stable kebab-case identifier, such as {@code too-many-models}
   * @param message one line that names the limit and says what to do
   */
  public QuotaException(String code, String message) {
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
