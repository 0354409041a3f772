package dev.cotenant.zoo.layers;

import dev.cotenant.zoo.onnx.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * The block of the mobile networks [Sandler et al., CVPR 2018, Figure 3]: a 1×1 convolution that
 * widens, where there is anything to widen, one kernel a channel, and a 1×1 convolution that
 * narrows; the input is added where the shapes agree.
 *
 * @param expanded channels in between
 * @param channels output channels
 * @param window of the depthwise convolution
 * @param style activation and excitation of its layers
 */
public record InvertedResidual(int expanded, int channels, Window window, Style style) {
  /**
   * Activation and excitation of the layers.
   *
   * @param activation after the first two convolutions
   * @param excitation before the last convolution; null for none
   */
  public record Style(Activation activation, @Nullable Excitation excitation) {
    public static Style of(Activation activation) {
      return new Style(activation, null);
    }
  }

  public Tensor addTo(ImageLayers layers, Tensor x) {
    Tensor inner = x;
    if (expanded != x.channels()) {
      inner =
          layers.conv(x, Convolution.normalized(expanded, Window.kernel(1)), style.activation());
    }
    inner = layers.conv(inner, Convolution.depthwise(expanded, window), style.activation());
    if (style.excitation() != null) {
      inner = layers.excite(inner, style.excitation());
    }
    inner = layers.conv(inner, Convolution.normalized(channels, Window.kernel(1)));
    return isResidual(x, channels, window.stride()) ? layers.add(x, inner) : inner;
  }

  /** Whether a block adds its input: same channels and no stride. */
  public static boolean isResidual(Tensor input, int channels, int stride) {
    return stride == 1 && input.channels() == channels;
  }

  /** Rounds channels to a multiple of eight, losing at most a tenth, as the mobile networks do. */
  public static int divisibleByEight(double channels) {
    int rounded = Math.max(8, (int) (channels + 4) / 8 * 8);
    return rounded < 0.9 * channels ? rounded + 8 : rounded;
  }
}
