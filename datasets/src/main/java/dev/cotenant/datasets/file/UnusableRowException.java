package dev.cotenant.datasets.file;

/** Says why one row cannot be used; the file turns it into a rejected line. */
public final class UnusableRowException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnusableRowException(String reason) {
    super(reason);
  }
}
