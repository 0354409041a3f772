package dev.cotenant.predictor.forest;

import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.util.Arrays;

/**
 * Reads every released version of {@link ModelFileFormat} and believes none of its bytes: size,
 * version, length and checksum first, then each count against the bytes that are left.
 */
public final class ModelFileReader {
  private final String name;

  private ModelFileReader(String name) {
    this.name = name;
  }

  /**
   * Reads the bytes of a model file, up to its size limit.
   *
   * @throws InputException when it is missing, unreadable or too large, naming it
   */
  public static byte[] readBytes(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(ModelFileFormat.MAX_FILE_BYTES + 1);
      if (bytes.length > ModelFileFormat.MAX_FILE_BYTES) {
        throw InputException.tooLarge(
            "predictor-too-large",
            file
                + " is larger than the "
                + (ModelFileFormat.MAX_FILE_BYTES >> 20)
                + " MiB that a predictor may have.");
      }
      return bytes;
    } catch (NoSuchFileException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND,
          "predictor-not-found",
          file + " does not exist: name a predictor file written by training.",
          e);
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED,
          "predictor-unreadable",
          file + " cannot be read: " + e.getMessage(),
          e);
    }
  }

  /**
   * What becomes of the payload of each version.
   *
   * @param <T> what is made of either
   */
  public interface Versions<T> {
    T forests(PredictorModel model);

    /**
     * Reads the payload to its end.
     *
     * @throws IllegalArgumentException when what it holds cannot be
     */
    T layers(PayloadReader payload);
  }

  /**
   * Reads a model.
   *
   * @param bytes the whole file
   * @param name what to call it in messages
   * @throws InputException when it is not a model file, damaged, or of a newer version
   */
  public static <T> T parse(byte[] bytes, String name, Versions<T> versions) {
    return new ModelFileReader(name).parse(bytes, versions);
  }

  private <T> T parse(byte[] bytes, Versions<T> versions) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length < ModelFileFormat.HEADER_BYTES || in.getInt() != ModelFileFormat.MAGIC) {
      throw malformed("not-a-predictor", "is not a predictor file");
    }
    int version = in.getInt();
    if (version < 1 || version > ModelFileFormat.RANKED_LAYERS) {
      throw tooNew("has format version " + version, ModelFileFormat.RANKED_LAYERS);
    }
    int payload = in.getInt();
    int overhead =
        ModelFileFormat.HEADER_BYTES
            + ModelFileFormat.DIGEST_BYTES
            + ModelFileFormat.checksumBytes(version);
    if (payload < 0 || bytes.length - overhead != payload) {
      throw damaged(
          "it has "
              + bytes.length
              + " bytes where "
              + ((long) payload + overhead)
              + " were written");
    }
    requireUndamaged(bytes, version);
    ByteBuffer content = in.slice(ModelFileFormat.HEADER_BYTES, payload);
    return parsePayload(version, content, versions);
  }

  private void requireUndamaged(byte[] bytes, int version) {
    if (version < ModelFileFormat.RANKED_LAYERS ? !hasItsDigest(bytes) : !hasItsChecksum(bytes)) {
      throw damaged("its checksum does not match");
    }
  }

  private static boolean hasItsDigest(byte[] bytes) {
    int end = bytes.length - ModelFileFormat.DIGEST_BYTES;
    var digest = ModelFileFormat.sha256();
    digest.update(bytes, 0, end);
    return Arrays.equals(digest.digest(), Arrays.copyOfRange(bytes, end, bytes.length));
  }

  private static boolean hasItsChecksum(byte[] bytes) {
    int end = bytes.length - ModelFileFormat.CHECKSUM_BYTES;
    return ModelFileFormat.checksum(bytes, end) == ByteBuffer.wrap(bytes).getInt(end);
  }

  /**
   * What names a file that {@link #parse} has read: the SHA-256 of all of it; from format version 3
   * on the one that is in it, of what precedes it.
   */
  public static byte[] nameOf(byte[] bytes) {
    if (ByteBuffer.wrap(bytes).getInt(Integer.BYTES) < ModelFileFormat.RANKED_LAYERS) {
      return ModelFileFormat.sha256().digest(bytes);
    }
    int end = bytes.length - ModelFileFormat.CHECKSUM_BYTES;
    return Arrays.copyOfRange(bytes, end - ModelFileFormat.DIGEST_BYTES, end);
  }

  private <T> T parsePayload(int version, ByteBuffer in, Versions<T> versions) {
    try {
      PayloadReader payload = new PayloadReader(in, version);
      T model =
          version == ModelFileFormat.FORESTS
              ? versions.forests(payload.read())
              : versions.layers(payload);
      if (in.hasRemaining()) {
        throw damaged(in.remaining() + " bytes are left over");
      }
      return model;
    } catch (PayloadReader.NewerSchemaException e) {
      throw tooNew("has feature schema " + e.version(), e.known());
    } catch (BufferUnderflowException e) {
      throw damaged("a count in it is larger than the file", e);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw damaged(String.valueOf(e.getMessage()), e);
    }
  }

  private InputException tooNew(String what, int known) {
    return malformed(
        "predictor-too-new",
        what + ", this release reads up to " + known + "; update or train again");
  }

  private InputException damaged(String what) {
    return malformed("predictor-damaged", "is damaged: " + what + "; copy or train it again");
  }

  private InputException damaged(String what, Exception cause) {
    InputException damaged = damaged(what);
    damaged.initCause(cause);
    return damaged;
  }

  private InputException malformed(String code, String what) {
    return InputException.malformed(code, name + " " + what + ".");
  }
}
