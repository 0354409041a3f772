package dev.cotenant.predictor.plugin;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Loads regressors from files; found as a service, so that its libraries come only with use. */
public interface RegressorLoader {
  /**
   * The regressor that a manifest describes, checked and tried once for each device it covers.
   *
   * @param devices the catalogue, with the devices that the manifest names
   * @throws InputException when the manifest or the model is missing, malformed, too large, not
   *     what the manifest says, too slow, or gives no usable estimate; it names the file
   */
  Regressor load(Path manifest, DeviceCatalogue devices);

  /**
   * The same from the bytes of a ZIP archive of manifest and model.
   *
   * @param name what to call the archive in messages
   * @param devices the catalogue, with the devices that the manifest names
   * @throws InputException as {@link #load}
   */
  Regressor read(byte[] archive, String name, DeviceCatalogue devices);

  /** Whether a file begins as a ZIP archive does. */
  static boolean isArchive(byte[] file) {
    return file.length > 3 && file[0] == 'P' && file[1] == 'K' && file[2] == 3 && file[3] == 4;
  }

  /**
   * The loader on the class path.
   *
   * @throws InputException ({@code regressors-not-installed}) when there is none
   */
  static RegressorLoader installed() {
    return first(ServiceLoader.load(RegressorLoader.class));
  }

  /**
   * The loader from the jars of a folder: those of predictor-plugin and ONNX Runtime. A process has
   * one a folder, as each has a native library and threads of its own.
   *
   * @throws InputException ({@code regressors-not-installed}) when there is none
   */
  static RegressorLoader in(Path folder) {
    return PluginFolders.LOADERS.computeIfAbsent(
        folder.toAbsolutePath().normalize(), RegressorLoader::opened);
  }

  private static RegressorLoader opened(Path folder) {
    List<URL> jars = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.jar")) {
      for (Path jar : files) {
        jars.add(url(jar));
      }
    } catch (IOException e) {
      throw notInstalled(folder + " cannot be listed. ", e);
    }
    ClassLoader ours = RegressorLoader.class.getClassLoader();
    return first(
        ServiceLoader.load(
            RegressorLoader.class, new URLClassLoader(jars.toArray(URL[]::new), ours)));
  }

  private static URL url(Path jar) throws MalformedURLException {
    return jar.toUri().toURL();
  }

  private static RegressorLoader first(ServiceLoader<RegressorLoader> found) {
    return found.findFirst().orElseThrow(() -> notInstalled("", null));
  }

  private static InputException notInstalled(String cause, @Nullable Throwable e) {
    String message =
        cause
            + "Regressors need the module predictor-plugin and ONNX Runtime: ./cotenant predict"
            + " adds both; a service reads their jars from the folder"
            + " cotenant.models.regressor-plugin.";
    return e == null
        ? InputException.notFound("regressors-not-installed", message)
        : new InputException(InputException.Kind.NOT_FOUND, "regressors-not-installed", message, e);
  }
}
