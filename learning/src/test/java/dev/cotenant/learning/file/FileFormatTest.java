package dev.cotenant.learning.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.learning.file.FileFormatException.Problem;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class FileFormatTest {
  private static final FileFormat FORMAT = new FileFormat("TEST", 3, 200);
  private static final byte[] FILE =
      FORMAT.write(out -> {
        out.writeTexts(List.of("größer", ""));
        out.writeDoubles(1.5, -2);
        out.writeFloats(0.25f);
        out.writeChars('a', (char) 0xffff);
      });

  private static List<String> read(byte[] file) {
    return FORMAT.read(
        file,
        in -> {
          List<String> texts = in.readTexts();
          assertThat(in.readDoubles(2)).containsExactly(1.5, -2);
          assertThat(in.readFiniteFloats(1)).containsExactly(0.25f);
          assertThat(in.readChars(2)).containsExactly('a', (char) 0xffff);
          return texts;
        });
  }

  private static void refuses(byte[] file, Problem problem) {
    assertThatThrownBy(() -> read(file))
        .isInstanceOfSatisfying(
            FileFormatException.class,
            e -> {
              assertThat(e.problem()).isEqualTo(problem);
              assertThat(e.getMessage()).startsWith("is ").doesNotContain("\n");
            });
  }

  @Test
  void readsWhatItWrites() {
    assertThat(read(FILE)).containsExactly("größer", "");
    assertThat(FORMAT.claims(FILE)).isTrue();
  }

  @Test
  void refusesEveryTruncation() {
    for (int length = 0; length < FILE.length; length++) {
      refuses(Arrays.copyOf(FILE, length), length < 12 ? Problem.OTHER_KIND : Problem.DAMAGED);
    }
    refuses(Arrays.copyOf(FILE, FILE.length + 1), Problem.DAMAGED);
  }

  @Test
  void refusesEveryFlippedBit() {
    for (int bit = 0; bit < Byte.SIZE * FILE.length; bit++) {
      byte[] flipped = FILE.clone();
      flipped[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
      assertThatThrownBy(() -> read(flipped)).isInstanceOf(FileFormatException.class);
    }
  }

  @Test
  void refusesAnotherVersionAndNamesBoth() {
    byte[] newer = FILE.clone();
    ByteBuffer.wrap(newer).putInt(4, 4);
    assertThatThrownBy(() -> read(newer))
        .hasMessage("has format version 4, this release reads 3; train it again");
  }

  @Test
  void refusesAFileThatIsTooLarge() {
    refuses(new byte[1000], Problem.TOO_LARGE);
  }

  @Test
  void trustsNoCount() {
    for (int count : new int[] {-1, 1000, Integer.MAX_VALUE}) {
      byte[] file = FORMAT.write(out -> out.writeInt(count));
      assertThatThrownBy(() -> FORMAT.read(file, PayloadReader::readTexts))
          .hasMessageContaining("larger than the file");
      assertThatThrownBy(() -> FORMAT.read(file, PayloadReader::readText))
          .hasMessageContaining("larger than the file");
      assertThatThrownBy(() -> FORMAT.read(file, in -> in.readFloats(in.readInt())))
          .hasMessageContaining("larger than the file");
    }
    assertThatIllegalArgumentException().isThrownBy(() -> PayloadReader.product(1 << 20, 1 << 20));
  }

  @Test
  void refusesNumbersThatAreNone() {
    byte[] file = FORMAT.write(out -> out.writeDoubles(Double.NaN, Double.POSITIVE_INFINITY));
    refusesFinite(file);
    byte[] floats = FORMAT.write(out -> out.writeFloats(1, Float.NEGATIVE_INFINITY));
    assertThatThrownBy(() -> FORMAT.read(floats, in -> in.readFiniteFloats(2)))
        .hasMessageContaining("infinite");
  }

  private static void refusesFinite(byte[] file) {
    assertThatThrownBy(() -> FORMAT.read(file, in -> in.readDoubles(2)))
        .hasMessageContaining("NaN");
  }

  @Test
  void refusesBytesThatAreLeftOver() {
    byte[] file = FORMAT.write(out -> out.writeInt(1));
    assertThatThrownBy(() -> FORMAT.read(file, _ -> ""))
        .hasMessageContaining("4 bytes are left over");
  }

  @Test
  void isNamedByTheSha256OfWhatPrecedesIt() throws NoSuchAlgorithmException {
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(Arrays.copyOf(FILE, FILE.length - 36));
    assertThat(FileFormat.nameOf(FILE)).isEqualTo(HexFormat.of().formatHex(digest));
  }
}
