package dev.cotenant.datasets.colocation;

/** Says why one row cannot be used; the table turns it into a rejected line. */
final class UnusableRowException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnusableRowException(String reason) {
    super(reason);
  }
}
