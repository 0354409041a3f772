package dev.cotenant.service.rest;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.engine.lifecycle.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.function.Function;

/**
 * Receives uploads into files, so that memory does not grow with them. Closing an upload deletes
 * its file; files of a crashed process are deleted at the next start.
 */
public final class Uploads {
  private static final String PREFIX = "upload";
  private static final String SUFFIX = ".part";
  private static final int CHUNK_BYTES = 1 << 16;

  /**
   * Discarded part of a body that is too large: many clients read the answer only after they have
   * sent everything. Beyond it the connection is closed.
   */
  private static final long MAX_DISCARDED_BYTES = 1L << 30;

  private final Path directory;
  private final long maxBytes;

  /**
   * @param directory for uploads in progress; made when it is not there
   * @param maxBytes the largest upload that is taken
   */
  public Uploads(Path directory, long maxBytes) {
    this.directory = directory;
    this.maxBytes = maxBytes;
  }

  /** An upload on disk. */
  public record Upload(Path file, String sha256) implements AutoCloseable {
    /**
     * Reads it; messages about the file are about "the upload".
     *
     * @throws StoreException when it cannot be opened: no descriptor is left
     */
    public <T> T read(Function<Path, T> reader) {
      try {
        return reader.apply(file);
      } catch (InputException e) {
        if (e.getCause() instanceof FileSystemException why) {
          throw new StoreException("The upload cannot be read now: " + why + ".", why);
        }
        String message = e.getMessage().replace(file.toString(), "the upload");
        throw new InputException(e.kind(), e.code(), message, e);
      }
    }

    @Override
    public void close() {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Deletes the files of earlier processes. */
  public void clean() {
    if (!Files.isDirectory(directory)) {
      return;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, PREFIX + "*" + SUFFIX)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Receives an upload.
   *
   * @throws InputException ({@code upload-too-large}) as soon as the limit is passed
   * @throws StoreException when it cannot be written: the disk is full
   */
  public Upload receive(InputStream body) {
    MessageDigest digest = Sha256.digest();
    Path file = newFile();
    boolean complete = false;
    try (OutputStream out = new DigestOutputStream(open(file), digest)) {
      if (copy(body, out)) {
        complete = true;
      } else {
        discard(body);
        throw InputException.tooLarge(
            "upload-too-large",
            "The upload is larger than "
                + maxBytes
                + " bytes: send the model without its weights, or raise cotenant.upload.max-size.");
      }
    } catch (IOException e) {
      throw new UncheckedIOException("an upload was cut off", e);
    } finally {
      if (!complete) {
        new Upload(file, "").close();
      }
    }
    return new Upload(file, Sha256.of(digest));
  }

  private Path newFile() {
    try {
      return Files.createTempFile(Files.createDirectories(directory), PREFIX, SUFFIX);
    } catch (IOException e) {
      throw unstorable(e);
    }
  }

  private OutputStream open(Path file) {
    try {
      return Files.newOutputStream(file);
    } catch (IOException e) {
      throw unstorable(e);
    }
  }

  private void write(OutputStream out, byte[] chunk, int length) {
    try {
      out.write(chunk, 0, length);
    } catch (IOException e) {
      throw unstorable(e);
    }
  }

  /** As for a full disk of the database: nothing has changed, and a later request may succeed. */
  private StoreException unstorable(IOException why) {
    return new StoreException("Uploads cannot be stored in " + directory + ": " + why + ".", why);
  }

  /** Whether the body was within the limit. */
  private boolean copy(InputStream body, OutputStream out) throws IOException {
    byte[] chunk = new byte[CHUNK_BYTES];
    long total = 0;
    int read;
    while ((read = body.read(chunk)) >= 0) {
      total += read;
      if (total > maxBytes) {
        return false;
      }
      write(out, chunk, read);
    }
    return true;
  }

  private static void discard(InputStream body) throws IOException {
    byte[] chunk = new byte[CHUNK_BYTES];
    long total = 0;
    int read;
    while (total < MAX_DISCARDED_BYTES && (read = body.read(chunk)) >= 0) {
      total += read;
    }
  }
}
