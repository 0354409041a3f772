package dev.cotenant.datasets.zoo;

import dev.cotenant.domain.InputException;

/** A network that the zoo can write. */
interface Architecture {
  /** The input that the network was published with. */
  InputShape defaultInput();

  /** Adds inputs, layers and outputs to an empty graph. */
  void addTo(GraphBuilder graph, InputShape input);

  /** A network on images, from the image to the class scores. */
  @FunctionalInterface
  interface Classifier {
    Tensor scores(ImageLayers layers, Tensor image);
  }

  /** An image network whose usual input is a square. */
  static Architecture ofImages(int side, Classifier classifier) {
    return new OnImages(InputShape.Image.square(side), classifier);
  }

  /** An architecture that takes images. */
  record OnImages(InputShape.Image defaultInput, Classifier classifier) implements Architecture {
    @Override
    public void addTo(GraphBuilder graph, InputShape input) {
      if (!(input instanceof InputShape.Image image)) {
        throw wrongInput("an image", input);
      }
      ImageLayers layers = new ImageLayers(graph);
      graph.output(classifier.scores(layers, layers.input(image)));
    }
  }

  static InputException wrongInput(String wanted, InputShape given) {
    return InputException.invalidArgument(
        "unsupported-input-shape", "The network takes " + wanted + ", not a " + given + ".");
  }
}
