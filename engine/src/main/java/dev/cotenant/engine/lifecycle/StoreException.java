package dev.cotenant.engine.lifecycle;

/**
 * The store cannot be reached or cannot write: the database is down, its disk is full. The active
 * version stays, and the requested change has not happened.
 */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message one line that names the store and says what to do
   */
  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
