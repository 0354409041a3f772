package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Holds the worked cases against what ONNX Runtime derives where it can load them: not those of
 * other devices, of later versions, or whose attributes are shortened to what shapes depend on.
 */
class OnnxRuntimeOperatorsTest {
  private static final long OPSET = 23;
  private static final Pattern NEWER = Pattern.compile("Swish|TensorScatter");
  private static final Pattern OLDER =
      Pattern.compile("Affine|ImageScaler|Scale|ParametricSoftplus|ScaledTanh|Crop|DynamicSlice");

  /** Of 1.28; no fewer than this many cases were loaded when the test was written. */
  private static final int LOADED = 120;

  @Test
  void agreesOnEveryCaseThatItLoads() throws IOException {
    List<String> different = new ArrayList<>();
    int loaded = 0;
    for (OperatorCase each : OperatorCasesTest.cases()) {
      List<long[]> shapes = each.outputs().equals("mismatch") ? List.of() : shapes(each);
      loaded += shapes.isEmpty() ? 0 : 1;
      if (!shapes.isEmpty() && !agrees(shapes, each.outputs().split(" +", -1))) {
        different.add(each.line());
      }
    }
    assertThat(different).isEmpty();
    assertThat(loaded).isGreaterThanOrEqualTo(LOADED);
  }

  /** Extents of the outputs, -1 where they are not derived; none where it does not load. */
  private static List<long[]> shapes(OperatorCase each) {
    boolean states = each.attributes().containsKey("opset") && !each.key().contains(":");
    long opset =
        states
            ? each.attributes().get("opset").integer()
            : NEWER.matcher(each.key()).matches()
                ? OPSET + 1
                : OLDER.matcher(each.key()).matches() ? 9 : OPSET;
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    List<long[]> shapes = new ArrayList<>();
    try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
      options.setOptimizationLevel(OrtSession.SessionOptions.OptLevel.NO_OPT);
      options.setIntraOpNumThreads(1);
      byte[] model = OperatorCaseModel.of(each, opset);
      try (OrtSession session = environment.createSession(model, options)) {
        for (NodeInfo output : session.getOutputInfo().values()) {
          shapes.add(output.getInfo() instanceof TensorInfo tensor ? tensor.getShape() : null);
        }
      }
    } catch (OrtException unsupported) {
      return List.of();
    }
    return shapes;
  }

  /** An empty shape is that of a scalar or of a tensor of which nothing is derived. */
  private static boolean agrees(List<long[]> shapes, String... wanted) {
    for (int i = 0; i < wanted.length; i++) {
      String text = wanted[i].replaceAll(":.*", "");
      long[] shape = shapes.get(i);
      boolean isOpen = shape == null || shape.length == 0 || text.equals("unknown");
      String[] extents = text.equals("scalar") ? new String[0] : text.split("x", -1);
      if (!isOpen && shape.length != extents.length) {
        return false;
      }
      for (int axis = 0; !isOpen && axis < extents.length; axis++) {
        boolean differs = !extents[axis].replace("n", "").equals(Long.toString(shape[axis]));
        if (shape[axis] >= 0 && differs) {
          return false;
        }
      }
    }
    return true;
  }
}
