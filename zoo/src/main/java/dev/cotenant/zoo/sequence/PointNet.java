package dev.cotenant.zoo.sequence;

import dev.cotenant.zoo.layers.Architecture;
import dev.cotenant.zoo.layers.Convolution;
import dev.cotenant.zoo.layers.ImageLayers;
import dev.cotenant.zoo.layers.InputShape;
import dev.cotenant.zoo.layers.SequenceLayers;
import dev.cotenant.zoo.layers.Window;
import dev.cotenant.zoo.onnx.AttributeProto;
import dev.cotenant.zoo.onnx.GraphBuilder;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.List;

/**
 * PointNet for classification [Qi et al., CVPR 2017, Figure 2] with the transform of the input and
 * without that of the features, as fxia22/pointnet.pytorch builds it by default.
 */
public final class PointNet implements Architecture {
  /** Points of a cloud and classes of ShapeNet that the implementation uses. */
  private static final int POINTS = 2500;

  private static final int CLASSES = 16;
  private static final int AXES = 3;

  @Override
  public InputShape defaultInput() {
    return new InputShape.Points(POINTS);
  }

  @Override
  public void addTo(GraphBuilder graph, InputShape input) {
    if (!(input instanceof InputShape.Points(int count))) {
      throw Architecture.wrongInput("a cloud of points", input);
    }
    ImageLayers layers = new ImageLayers(graph);
    Tensor cloud = graph.input("points", List.of(AXES, count, 1));
    Tensor moved = moved(graph, cloud, transform(layers, cloud));
    Tensor features = layers.convRelu(moved, point(64));
    features = layers.conv(layers.convRelu(features, point(128)), point(1024));
    Tensor scores = layers.linear(hidden(layers, features), CLASSES);
    graph.output(graph.elementwise("LogSoftmax", scores, AttributeProto.of("axis", 1)));
  }

  /** The small network that says how to turn the cloud. */
  private static Tensor transform(ImageLayers layers, Tensor cloud) {
    Tensor x = layers.convRelu(layers.convRelu(cloud, point(64)), point(128));
    return layers.linear(hidden(layers, layers.convRelu(x, point(1024))), AXES * AXES);
  }

  private static Tensor hidden(ImageLayers layers, Tensor features) {
    Tensor x = layers.flatten(layers.globalMaxPool(features));
    x = layers.relu(layers.batchNorm(layers.linear(x, 512)));
    return layers.relu(layers.batchNorm(layers.linear(x, 256)));
  }

  private static Tensor moved(GraphBuilder graph, Tensor cloud, Tensor transform) {
    SequenceLayers layers = new SequenceLayers(graph);
    int count = cloud.height();
    Tensor flat = layers.reshape(cloud, AXES, count);
    Tensor matrix = layers.reshape(transform, AXES, AXES);
    Tensor turned = layers.matMul(layers.transpose(flat, 0, 2, 1), matrix);
    return layers.reshape(layers.transpose(turned, 0, 2, 1), AXES, count, 1);
  }

  /** A layer on each point: a 1×1 convolution over an image one pixel wide. */
  private static Convolution point(int channels) {
    return Convolution.normalized(channels, Window.kernel(1));
  }
}
