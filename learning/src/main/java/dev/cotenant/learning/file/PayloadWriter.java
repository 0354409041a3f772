package dev.cotenant.learning.file;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes the payload of a model file; {@link PayloadReader} has the opposite of each method. */
public final class PayloadWriter extends DataOutputStream {
  PayloadWriter(OutputStream out) {
    super(out);
  }

  /** Text behind the number of its bytes in UTF-8. */
  public void writeText(String text) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    writeInt(utf8.length);
    write(utf8);
  }

  /** Texts behind their number. */
  public void writeTexts(List<String> texts) throws IOException {
    writeInt(texts.size());
    for (String text : texts) {
      writeText(text);
    }
  }

  /** Numbers without their count. */
  public void writeDoubles(double... values) throws IOException {
    for (double value : values) {
      writeDouble(value);
    }
  }

  /** Numbers without their count. */
  public void writeFloats(float... values) throws IOException {
    for (float value : values) {
      writeFloat(value);
    }
  }

  /** Numbers without their count. */
  public void writeChars(char... values) throws IOException {
    for (char value : values) {
      writeChar(value);
    }
  }
}
