package dev.cotenant.zoo.layers;

import dev.cotenant.domain.InputException;
import dev.cotenant.zoo.onnx.GraphBuilder;
import dev.cotenant.zoo.onnx.Tensor;
import java.util.function.Consumer;

/** A network that the zoo can write. */
public interface Architecture {
  /** Channels of a colour image. */
  int RGB = 3;

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
    return new OnImages(InputShape.Image.square(side), RGB, classifier);
  }

  /** A network on grey images. */
  static Architecture ofGreyImages(int side, Classifier classifier) {
    return new OnImages(InputShape.Image.square(side), 1, classifier);
  }

  /** A network on sequences of at most {@code longest} tokens. */
  static Architecture ofTokens(int usual, int longest, OnTokens.Body body) {
    return new OnTokens(new InputShape.Tokens(usual), longest, body);
  }

  /** An architecture whose inputs are its own. */
  static Architecture of(Consumer<GraphBuilder> body) {
    return new OnItsOwn(body);
  }

  /** An architecture that takes images. */
  record OnImages(InputShape.Image defaultInput, int channels, Classifier classifier)
      implements Architecture {
    @Override
    public void addTo(GraphBuilder graph, InputShape input) {
      if (!(input instanceof InputShape.Image image)) {
        throw wrongInput("an image", input);
      }
      ImageLayers layers = new ImageLayers(graph);
      graph.output(classifier.scores(layers, layers.input(image, channels)));
    }
  }

  /** An architecture that takes tokens. */
  record OnTokens(InputShape.Tokens defaultInput, int longest, Body body) implements Architecture {
    /** Adds inputs, layers and outputs for sequences of a length. */
    @FunctionalInterface
    public interface Body {
      void addTo(GraphBuilder graph, int tokens);
    }

    @Override
    public void addTo(GraphBuilder graph, InputShape input) {
      if (!(input instanceof InputShape.Tokens(int tokens))) {
        throw wrongInput("a sequence of tokens", input);
      }
      if (tokens > longest) {
        throw InputException.invalidArgument(
            "unsupported-input-shape",
            "The network has "
                + longest
                + " positions, not "
                + tokens
                + ": use a shorter sequence.");
      }
      body.addTo(graph, tokens);
    }
  }

  /** An architecture whose inputs are its own. */
  record OnItsOwn(Consumer<GraphBuilder> body) implements Architecture {
    @Override
    public InputShape defaultInput() {
      return new InputShape.Own();
    }

    @Override
    public void addTo(GraphBuilder graph, InputShape input) {
      if (!(input instanceof InputShape.Own)) {
        throw wrongInput("only its own input", input);
      }
      body.accept(graph);
    }
  }

  static InputException wrongInput(String wanted, InputShape given) {
    String article = given.toString().matches("[aeiou].*") ? "an " : "a ";
    return InputException.invalidArgument(
        "unsupported-input-shape",
        "The network takes " + wanted + ", not " + article + given + ".");
  }
}
