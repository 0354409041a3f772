package dev.cotenant.placement.glet;

/** The knee of a rate-against-partition curve [gpu-lets, section 4.3 and figure 8]. */
final class Knee {
  /*
   * The curve is known at the sizes that a gpu-let may have, and at no share it serves nothing. Its
   * curvature at a point is that of the circle through it and its two neighbours, 4·area/(a·b·c), both
   * axes from 0 to 1; only bends towards the share axis count. The ends have none.
   */
  private static final double FLAT = 1e-9;

  private Knee() {}

  private record Point(double x, double y) {
    double distance(Point other) {
      return Math.hypot(x - other.x, y - other.y);
    }
  }

  /** The size at the sharpest bend, the smaller of two; the whole GPU where there is none. */
  static Size of(Tenant tenant) {
    double whole = tenant.mostPerSecond(Size.WHOLE);
    Size best = Size.WHOLE;
    double most = FLAT;
    Point before = new Point(0, 0);
    for (int i = 0; whole > 0 && i + 1 < Size.ASCENDING.size(); i++) {
      Point here = point(tenant, Size.ASCENDING.get(i), whole);
      double bend = bend(before, here, point(tenant, Size.ASCENDING.get(i + 1), whole));
      if (bend > most) {
        most = bend;
        best = Size.ASCENDING.get(i);
      }
      before = here;
    }
    return best;
  }

  private static Point point(Tenant tenant, Size size, double whole) {
    return new Point(size.percent() / 100.0, tenant.mostPerSecond(size) / whole);
  }

  /** Positive where the curve bends down. */
  private static double bend(Point a, Point b, Point c) {
    double twiceArea = (b.y - a.y) * (c.x - b.x) - (c.y - b.y) * (b.x - a.x);
    return 2 * twiceArea / (a.distance(b) * b.distance(c) * a.distance(c));
  }
}
