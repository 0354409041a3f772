package dev.cotenant.service.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.service.RunningService;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;

/**
 * Pictures of the documents. A build compares them with what the page looks like, {@code
 * -Dcotenant.docs.write=true} writes them.
 */
final class Picture {
  /** Seconds of a clock and the edges of letters differ from run to run. */
  private static final double MAX_DIFFERENT = 0.02;

  /** Of 255 in a colour. */
  private static final int NOTABLE = 48;

  private final BufferedImage image;

  private Picture(BufferedImage image) {
    this.image = image;
  }

  static Picture of(byte[] png) throws IOException {
    return new Picture(ImageIO.read(new ByteArrayInputStream(png)));
  }

  static Picture of(BufferedImage image) {
    return new Picture(image);
  }

  private static Path file(String name) {
    return RunningService.root().resolve("docs/page").resolve(name + ".png");
  }

  private static boolean isWritten() {
    return Boolean.getBoolean("cotenant.docs.write");
  }

  /** The file of this name; null where there is none, and where it is written. */
  static @Nullable Picture stored(String name) throws IOException {
    Path file = file(name);
    return isWritten() || !Files.exists(file) ? null : of(Files.readAllBytes(file));
  }

  /** Compares a screenshot with the file of this name, or writes it. */
  static void check(String name, byte[] png) throws IOException {
    Path file = file(name);
    if (isWritten()) {
      Files.createDirectories(file.getParent());
      Files.write(file, png);
      return;
    }
    double different = of(png).differenceFrom(of(Files.readAllBytes(file)));
    if (different > MAX_DIFFERENT) {
      Path seen =
          RunningService.root().resolve("service/target/" + name.replace('/', '-') + "-seen.png");
      Files.write(seen, png);
      assertThat(different)
          .as(
              "share of %s that differs from the page, see %s; -Dcotenant.docs.write=true writes"
                  + " it",
              file, seen)
          .isLessThanOrEqualTo(MAX_DIFFERENT);
    }
  }

  BufferedImage image() {
    return image;
  }

  /** Columns of it, as far as it has them. */
  Picture part(int left, int width) {
    int from = Math.min(left, image.getWidth() - 1);
    return of(
        image.getSubimage(from, 0, Math.min(width, image.getWidth() - from), image.getHeight()));
  }

  /** Whether it is as a picture of a document ought to be. */
  boolean isLike(Picture other) {
    return differenceFrom(other) <= MAX_DIFFERENT;
  }

  /** Share of pixels of another colour; 1 for another size. */
  double differenceFrom(Picture other) {
    int width = image.getWidth();
    int height = image.getHeight();
    if (other.image.getWidth() != width || other.image.getHeight() != height) {
      return 1;
    }
    long different = 0;
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        different += areAlike(image.getRGB(x, y), other.image.getRGB(x, y)) ? 0 : 1;
      }
    }
    return different / ((double) width * height);
  }

  private static boolean areAlike(int one, int other) {
    for (int shift = 0; shift < 24; shift += 8) {
      if (Math.abs(((one >> shift) & 0xff) - ((other >> shift) & 0xff)) > NOTABLE) {
        return false;
      }
    }
    return true;
  }
}
