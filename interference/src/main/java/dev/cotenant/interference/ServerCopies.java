package dev.cotenant.interference;

/**
 * Slowdown of several copies of one server on one GPU, which need no profile: copies use what one
 * leaves idle; once the GPU is always busy they take turns.
 */
public final class ServerCopies {
  // t(n) / t(1) = min(n, ‖ 1 , a · Σu ‖_p) with u the share of time in which a copy keeps the GPU
  // busy

  /** Share of one copy's device time that the others wait for, vision networks, A100 [ParvaGPU]. */
  public static final double WAITED_FOR = 0.93;

  /** How sharply waiting begins, of the same. */
  public static final double EXPONENT = 7.8;

  private ServerCopies() {}

  /**
   * A ratio, from 1 to the number of copies.
   *
   * @param copies at least 1
   * @param utilizationPercent sum over all copies, each measured solo
   */
  public static double slowdown(int copies, double utilizationPercent) {
    double waiting = WAITED_FOR * utilizationPercent / 100;
    double together = StrictMath.pow(1 + StrictMath.pow(waiting, EXPONENT), 1 / EXPONENT);
    return copies == 1 ? 1 : Math.min(copies, together);
  }
}
