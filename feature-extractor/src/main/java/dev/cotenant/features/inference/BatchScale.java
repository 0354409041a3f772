package dev.cotenant.features.inference;

/**
 * From the declared batch to the wanted one.
 *
 * @param declared batch at which shapes are derived, at least 1
 * @param wanted batch at which they are counted, at least 1
 */
public record BatchScale(long declared, long wanted) {
  public BatchScale {
    if (declared < 1 || wanted < 1) {
      throw new IllegalArgumentException(
          "batches must be at least 1, are " + declared + " and " + wanted);
    }
  }

  /** An amount that is proportional to the batch; rounded up where it does not divide. */
  public long apply(long amount) {
    if (declared == wanted) {
      return amount;
    }
    if (amount % declared == 0) {
      return Saturating.multiply(amount / declared, wanted);
    }
    double scaled = Math.ceil((double) amount * wanted / declared);
    return scaled >= 0x1p63 ? Long.MAX_VALUE : (long) scaled;
  }
}
