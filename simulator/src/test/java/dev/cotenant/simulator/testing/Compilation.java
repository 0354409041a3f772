package dev.cotenant.simulator.testing;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** Compiles a class {@code dev.cotenant.elsewhere.Peeking} against the classes of the tests. */
public final class Compilation {
  private Compilation() {}

  /**
   * Whether the source compiles.
   *
   * @param output folder for classes
   */
  public static boolean succeeds(String source, Path output) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(output));
      return compiler
          .getTask(
              new StringWriter(),
              files,
              null,
              List.of("-proc:none", "-classpath", System.getProperty("java.class.path")),
              null,
              List.of(new Source(source)))
          .call();
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(
          URI.create("string:///dev/cotenant/elsewhere/Peeking.java"), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
