package dev.cotenant.service.browser;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;

/**
 * Small pictures of one view beside each other, in one file: what is where is seen, and fonts of
 * another machine change little.
 */
final class PictureSheet {
  /** So many pixels each way are one. */
  private static final int PART = 4;

  /** Shades of a colour that are told apart: fewer make a smaller file. */
  private static final int SHADE = 8;

  private final List<BufferedImage> pictures = new ArrayList<>();

  /** Adds a picture to the right of the others. */
  void add(Picture picture) {
    BufferedImage large = picture.image();
    BufferedImage small =
        new BufferedImage(
            large.getWidth() / PART, large.getHeight() / PART, BufferedImage.TYPE_INT_RGB);
    for (int x = 0; x < small.getWidth(); x++) {
      for (int y = 0; y < small.getHeight(); y++) {
        small.setRGB(x, y, mean(large, x * PART, y * PART));
      }
    }
    pictures.add(small);
  }

  private static int mean(BufferedImage image, int left, int top) {
    int[] sums = new int[3];
    for (int x = left; x < left + PART; x++) {
      for (int y = top; y < top + PART; y++) {
        int colour = image.getRGB(x, y);
        for (int i = 0; i < sums.length; i++) {
          sums[i] += (colour >> (8 * i)) & 0xff;
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

  /** Compares the sheet with the file of this view, or writes it. */
  void check(String view) throws IOException {
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
    Picture.check("views/" + view, out.toByteArray());
  }
}
