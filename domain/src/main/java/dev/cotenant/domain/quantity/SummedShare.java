package dev.cotenant.domain.quantity;

/**
 * Shares of one GPU added up, exactly.
 *
 * @param permille thousandths of the GPU, at least 0; more than 1000 where it is oversubscribed
 */
public record SummedShare(int permille) {
  public static final SummedShare ZERO = new SummedShare(0);

  public SummedShare {
    if (permille < 0) {
      throw new IllegalArgumentException("permille must be at least 0, is " + permille);
    }
  }

  public static SummedShare of(Iterable<Share> shares) {
    SummedShare sum = ZERO;
    for (Share share : shares) {
      sum = sum.plus(share);
    }
    return sum;
  }

  public SummedShare plus(Share share) {
    return new SummedShare(permille + share.permille());
  }

  /** Whether one GPU has so much. */
  public boolean isOfOneGpu() {
    return permille <= Share.WHOLE.permille();
  }
}
