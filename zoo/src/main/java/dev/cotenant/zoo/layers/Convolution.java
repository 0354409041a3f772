package dev.cotenant.zoo.layers;

/**
 * A convolution and what follows it in the module that it comes from.
 *
 * @param channels output channels
 * @param window kernel, stride and padding
 * @param groups groups of channels that do not see each other
 * @param bias where the bias comes from
 */
public record Convolution(int channels, Window window, int groups, Bias bias) {
  /** Where a convolution's bias comes from. */
  public enum Bias {
    /** There is none. */
    NONE,
    /** The convolution has its own. */
    OWN,
    /** The exporter folded the batch normalisation that follows into weight and bias. */
    FOLDED
  }

  /** A convolution with batch normalisation after it, the usual case. */
  public static Convolution normalized(int channels, Window window) {
    return new Convolution(channels, window, 1, Bias.FOLDED);
  }

  /** One kernel for each of {@code channels}, with batch normalisation after it. */
  public static Convolution depthwise(int channels, Window window) {
    return new Convolution(channels, window, channels, Bias.FOLDED);
  }

  public static Convolution biased(int channels, Window window) {
    return new Convolution(channels, window, 1, Bias.OWN);
  }

  public static Convolution unbiased(int channels, Window window) {
    return new Convolution(channels, window, 1, Bias.NONE);
  }
}
