package dev.cotenant.zoo.layers;

/**
 * How a kernel moves over an image.
 *
 * @param kernel extent of the kernel
 * @param stride step in both directions
 * @param padding zeros added on each side
 */
public record Window(Extent kernel, int stride, Extent padding) {
  /** Rows and columns. */
  public record Extent(int height, int width) {}

  /** A square kernel with stride 1 and no padding. */
  public static Window kernel(int side) {
    return kernel(side, side);
  }

  /** A kernel with stride 1 and no padding. */
  public static Window kernel(int height, int width) {
    return new Window(new Extent(height, width), 1, new Extent(0, 0));
  }

  public Window stride(int step) {
    return new Window(kernel, step, padding);
  }

  public Window padding(int pixels) {
    return new Window(kernel, stride, new Extent(pixels, pixels));
  }

  /** Padded so that stride 1 keeps the extent; for odd kernels. */
  public Window same() {
    return new Window(
        kernel, stride, new Extent((kernel.height() - 1) / 2, (kernel.width() - 1) / 2));
  }

  public Extent output(Extent input) {
    return new Extent(
        steps(input.height(), kernel.height(), padding.height()),
        steps(input.width(), kernel.width(), padding.width()));
  }

  /** As {@link #output}, where a last step that starts inside the padded image counts too. */
  public Extent outputRoundedUp(Extent input) {
    return new Extent(
        stepsRoundedUp(input.height(), kernel.height(), padding.height()),
        stepsRoundedUp(input.width(), kernel.width(), padding.width()));
  }

  /** What a transposed convolution gives: the extent that {@link #output} would lead back from. */
  public Extent transposedOutput(Extent input) {
    return new Extent(
        (input.height() - 1) * stride - 2 * padding.height() + kernel.height(),
        (input.width() - 1) * stride - 2 * padding.width() + kernel.width());
  }

  private int steps(int input, int kernelSide, int pad) {
    return Math.floorDiv(input + 2 * pad - kernelSide, stride) + 1;
  }

  /** PyTorch's rule: the last window must start inside the image or its leading padding. */
  private int stepsRoundedUp(int input, int kernelSide, int pad) {
    int steps = Math.ceilDiv(input + 2 * pad - kernelSide, stride) + 1;
    return (steps - 1) * stride >= input + pad ? steps - 1 : steps;
  }
}
