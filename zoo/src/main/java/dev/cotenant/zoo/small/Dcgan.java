package dev.cotenant.zoo.small;

import dev.cotenant.zoo.layers.Activation;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.AttributeProto;
import dev.cotenant.zoo.onnx.GraphBuilder;
import dev.cotenant.zoo.onnx.Tensor;
import dev.cotenant.zoo.onnx.TensorData;
import java.util.List;

/**
 * DCGAN [Radford et al., ICLR 2016, Figure 1]: a generator of images from noise and a discriminator
 * that tells them from real ones. {@link #step} is what a training step runs forward: noise through
 * both, and real images through the discriminator.
 */
public enum Dcgan {
  /** 64×64 pixels in colour, as in PyTorch's example. */
  COLOUR(64, 3) {
    @Override
    public Tensor generated(ImageLayers layers, Tensor noise) {
      Tensor x = layers.unflatten(noise, NOISE, 1);
      Window window = Window.kernel(4).stride(2).padding(1);
      x = normalized(layers, layers.convTranspose(x, 512, Window.kernel(4), 4));
      for (int channels : List.of(256, 128, 64)) {
        x = normalized(layers, layers.convTranspose(x, channels, window, 2 * x.height()));
      }
      return layers.activate(layers.convTranspose(x, 3, window, 64), Activation.TANH);
    }

    @Override
    public Tensor judged(ImageLayers layers, Tensor image) {
      Window window = Window.kernel(4).stride(2).padding(1);
      Tensor x = layers.conv(image, Convolution.unbiased(64, window), Activation.LEAKY_RELU);
      for (int channels : List.of(128, 256, 512)) {
        x = layers.conv(x, Convolution.normalized(channels, window), Activation.LEAKY_RELU);
      }
      x = layers.conv(x, Convolution.unbiased(1, Window.kernel(4)), Activation.SIGMOID);
      return layers.flatten(x);
    }

    private Tensor normalized(ImageLayers layers, Tensor x) {
      return layers.relu(layers.batchNorm(x));
    }
  },

  /** 28×28 grey pixels, as in TensorFlow's tutorial on MNIST. */
  GREY(28, 1) {
    @Override
    public Tensor generated(ImageLayers layers, Tensor noise) {
      Window window = Window.kernel(5).same();
      Tensor x = normalized(layers, layers.linearWithoutBias(noise, 7 * 7 * 256));
      x = layers.unflatten(x, 256, 7);
      x = normalized(layers, layers.convTranspose(x, 128, window, 7));
      x = normalized(layers, layers.convTranspose(x, 64, window.stride(2), 14));
      return layers.activate(layers.convTranspose(x, 1, window.stride(2), 28), Activation.TANH);
    }

    @Override
    public Tensor judged(ImageLayers layers, Tensor image) {
      Window window = Window.kernel(5).same().stride(2);
      Tensor x = layers.conv(image, Convolution.biased(64, window), Activation.LEAKY_RELU);
      x = layers.conv(x, Convolution.biased(128, window), Activation.LEAKY_RELU);
      return layers.linear(layers.flatten(x), 1);
    }

    private Tensor normalized(ImageLayers layers, Tensor x) {
      return layers.activate(layers.batchNorm(x), Activation.LEAKY_RELU);
    }
  };

  public static final int NOISE = 100;

  private final int side;
  private final int channels;

  Dcgan(int side, int channels) {
    this.side = side;
    this.channels = channels;
  }

  public abstract Tensor generated(ImageLayers layers, Tensor noise);

  /** How real an image looks. */
  public abstract Tensor judged(ImageLayers layers, Tensor image);

  /** Real and generated images pass the discriminator in one batch of twice the size. */
  public void step(GraphBuilder graph) {
    ImageLayers layers = new ImageLayers(graph);
    Tensor real = image(graph);
    Tensor generated = generated(layers, noise(graph));
    Tensor both =
        graph.node(
            "Concat",
            List.of(real.name(), generated.name()),
            real.dims(),
            AttributeProto.of("axis", 0));
    Tensor judged = judged(layers, both);
    String pairs = graph.constant(TensorData.vector(-1, 2));
    graph.output(graph.node("Reshape", List.of(judged.name(), pairs), List.of(2)));
  }

  private static Tensor noise(GraphBuilder graph) {
    return graph.input("noise", List.of(NOISE));
  }

  private Tensor image(GraphBuilder graph) {
    return graph.input("image", List.of(channels, side, side));
  }
}
