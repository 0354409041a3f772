package dev.cotenant.e2e;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives every test the same stage, swept. */
final class OnStage implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(OnStage.class);

  /** Made for the first test, closed after the last. */
  private static Stage stage(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .computeIfAbsent(Opening.class, _ -> new Opening(), Opening.class)
        .stage();
  }

  /** A stage, or why there is none: that is not tried again for every test. */
  private static final class Opening implements AutoCloseable {
    private Stage stage;
    private RuntimeException failure;

    synchronized Stage stage() {
      if (failure != null) {
        throw failure;
      }
      if (stage == null) {
        open();
      }
      return stage;
    }

    private void open() {
      try {
        stage = Stage.open();
      } catch (RuntimeException e) {
        failure = e;
        throw e;
      } catch (AssertionError e) {
        failure = new IllegalStateException("there is nothing to test in: " + e.getMessage(), e);
        throw failure;
      }
    }

    @Override
    public void close() {
      if (stage != null) {
        stage.close();
      }
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Stage.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return stage(context);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    stage(context).setUp();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    stage(context).tearDown();
    stage(context).assertNoPodWasRejected();
  }
}
