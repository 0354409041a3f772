package dev.cotenant.service.rest.query;

/** The entry at which a page ended is no longer in the list. */
public final class GonePageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  GonePageException() {
    super(
        "The last entry of the previous page no longer exists: list again without the parameter"
            + " continue.");
  }

  /** The message; never null. */
  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
