package dev.cotenant.service.browser;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;

/**
 * Small pictures of one view beside each other, in one file: what is where is seen, and fonts of
 * another machine change little.
 */
final class PictureSheet {
  /** So many pixels each way are one. */
  private static final int PART = 4;

  /** Shades of a colour that are told apart: fewer make a smaller file. */
  private static final int SHADE = 8;

  private static final int MAX_LOOKS = 50;
  private static final double SETTLED = 0.001;
  private static final int WIDTH = 1280;
  private static final int HEIGHT = 900;

  private final String file;
  private final @Nullable Picture stored;
  private final List<BufferedImage> pictures = new ArrayList<>();

  /**
   * @param view whose file the sheet is compared with
   */
  PictureSheet(String view) throws IOException {
    file = "views/" + view;
    stored = Picture.stored(file);
  }

  /** A window whose clock begins at one time. */
  static DevTools window() throws Exception {
    DevTools page = DevTools.open("about:blank", WIDTH, HEIGHT);
    try (InputStream in = PictureSheet.class.getResourceAsStream("/browser/clock.js")) {
      page.inEveryPage(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
    return page;
  }

  /**
   * At every width, light and dark.
   *
   * @param drawn waits until the view is there
   */
  void addAll(DevTools page, Drawn drawn) throws Exception {
    for (int width : Readers.WIDTHS) {
      page.size(width, HEIGHT);
      page.evaluate("dispatchEvent(new HashChangeEvent('hashchange')), true"); // drawn anew
      drawn.await();
      for (String scheme : Readers.SCHEMES) {
        page.scheme(scheme);
        add(page);
      }
    }
  }

  /** Waits until a view is there. */
  interface Drawn {
    void await() throws Exception;
  }

  /** Once it is as in the file, or two pictures in a row are alike. */
  private void add(DevTools page) throws Exception {
    int left = pictures.stream().mapToInt(BufferedImage::getWidth).sum();
    Picture seen = Picture.of(small(page));
    Picture wanted = stored == null ? null : stored.part(left, seen.image().getWidth());
    boolean isDone = wanted != null && wanted.isLike(seen);
    for (int i = 0; i < MAX_LOOKS && !isDone; i++) {
      Thread.sleep(200);
      Picture now = Picture.of(small(page));
      isDone = now.differenceFrom(seen) < SETTLED || (wanted != null && wanted.isLike(now));
      seen = now;
    }
    pictures.add(seen.image());
  }

  private static BufferedImage small(DevTools page) throws Exception {
    BufferedImage large = Picture.of(page.screenshot()).image();
    int width = large.getWidth();
    int[] colours = large.getRGB(0, 0, width, large.getHeight(), null, 0, width);
    BufferedImage small =
        new BufferedImage(width / PART, large.getHeight() / PART, BufferedImage.TYPE_INT_RGB);
    for (int x = 0; x < small.getWidth(); x++) {
      for (int y = 0; y < small.getHeight(); y++) {
        small.setRGB(x, y, mean(colours, x * PART + y * PART * width, width));
      }
    }
    return small;
  }

  private static int mean(int[] colours, int first, int width) {
    int[] sums = new int[3];
    for (int row = 0; row < PART; row++) {
      for (int at = first + row * width; at < first + row * width + PART; at++) {
        for (int i = 0; i < sums.length; i++) {
          sums[i] += (colours[at] >> (8 * i)) & 0xff;
        }
      }
    }
    int all = 0;
    for (int i = 0; i < sums.length; i++) {
      int shade = Math.min(0xff, Math.round((float) sums[i] / (PART * PART) / SHADE) * SHADE);
      all |= shade << (8 * i);
    }
    return all;
  }

  /** Compares the sheet with the file of its view, or writes it. */
  void check() throws IOException {
    int width = pictures.stream().mapToInt(BufferedImage::getWidth).sum();
    BufferedImage sheet =
        new BufferedImage(width, pictures.getFirst().getHeight(), BufferedImage.TYPE_INT_RGB);
    int left = 0;
    for (BufferedImage picture : pictures) {
      sheet.getGraphics().drawImage(picture, left, 0, null);
      left += picture.getWidth();
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ImageIO.write(sheet, "png", out);
    Picture.check(file, out.toByteArray());
  }
}
