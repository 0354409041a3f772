package dev.cotenant.service.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.model.ModelRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UploadsTest {
  /** SHA-256 of the three bytes "abc" [FIPS 180-2, appendix B.1]. */
  private static final String ABC_SHA256 =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  @TempDir Path directory;

  private static InputStream bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return new ByteArrayInputStream(bytes);
  }

  private long files() throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.count();
    }
  }

  @Test
  void storesAnUploadUntilItIsClosed() throws IOException {
    try (Uploads.Upload upload = new Uploads(directory, 3).receive(bytes('a', 'b', 'c'))) {
      assertThat(upload.file()).hasContent("abc");
      assertThat(upload.sha256()).isEqualTo(ABC_SHA256);
    }
    assertThat(files()).isZero();
  }

  /** As without a descriptor: it is not the upload that is wrong. */
  @Test
  void anUploadThatCannotBeOpenedMayBeSentAgain() throws IOException {
    try (Uploads.Upload upload = new Uploads(directory, 3).receive(bytes('a', 'b', 'c'))) {
      Files.delete(upload.file());
      ModelRegistry registry = ModelRegistry.of(Engine.standard());
      assertThatThrownBy(() -> upload.read(file -> registry.read("model", file)))
          .isInstanceOf(StoreException.class);
    }
  }

  @Test
  void refusesOneByteTooManyAndKeepsNothing() throws IOException {
    Uploads uploads = new Uploads(directory, 2);
    assertThatThrownBy(() -> uploads.receive(bytes('a', 'b', 'c')))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("cotenant.upload.max-size");
    assertThat(files()).isZero();
  }

  @Test
  void keepsNothingOfAnUploadThatIsCutOff() throws IOException {
    InputStream cutOff =
        new SequenceInputStream(
            bytes('a'),
            new InputStream() {
              @Override
              public int read() throws IOException {
                throw new IOException("reset by peer");
              }

              @Override
              public int read(byte[] into, int offset, int length) throws IOException {
                return read();
              }
            });
    Uploads uploads = new Uploads(directory, 10);
    assertThatThrownBy(() -> uploads.receive(cutOff)).isInstanceOf(UncheckedIOException.class);
    assertThat(files()).isZero();
  }

  @Test
  void removesWhatACrashLeftAndNothingElse() throws IOException {
    Files.createFile(directory.resolve("upload1.part"));
    Path other = Files.createFile(directory.resolve("notes.txt"));
    new Uploads(directory, 10).clean();
    assertThat(directory).isDirectoryContaining(other::equals);
    assertThat(files()).isEqualTo(1);
  }

  @Test
  void findsNothingToRemoveWhereThereIsNoDirectory() {
    new Uploads(directory.resolve("none"), 10).clean();
    assertThat(directory.resolve("none")).doesNotExist();
  }

  @Test
  void namesTheUploadInsteadOfItsFile() {
    try (Uploads.Upload upload = new Uploads(directory, 3).receive(bytes('a'))) {
      assertThatThrownBy(() ->
              upload.read(file -> {
                throw InputException.malformed("not-onnx", file + ": is no model.");
              }))
          .hasMessage("the upload: is no model.");
    }
  }
}
