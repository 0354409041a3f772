package dev.cotenant.datasets.collector;

/** Says why one row cannot become a profile; the reader turns it into a rejected line. */
final class UnusableRunException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnusableRunException(String reason) {
    super(reason);
  }
}
