package dev.cotenant.datasets.series;

import dev.cotenant.domain.InputException;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/** A text file of a set, plain or gzipped, that is hashed while it is read. */
record HashedFile(Path path) {
  private static final int GZIP_FIRST_BYTE = 0x1f;
  private static final int GZIP_SECOND_BYTE = 0x8b;

  /** The file itself, or the file of this name (or with .gz) in a folder. */
  static HashedFile of(Path path, String name) {
    if (!Files.isDirectory(path)) {
      return new HashedFile(path);
    }
    Path packed = path.resolve(name + ".gz");
    return new HashedFile(Files.exists(packed) ? packed : path.resolve(name));
  }

  /** Hands on each record after the header, which must be this one; gives the sha256. */
  String readCsv(List<String> header, Consumer<CSVRecord> records) {
    return read((reader, in) -> {
      try (CSVParser parser = CSVParser.parse(reader, CSVFormat.RFC4180)) {
        boolean first = true;
        for (CSVRecord record : parser) {
          if (!first) {
            require(record.size() == header.size(), record);
            records.accept(record);
          } else if (!record.toList().equals(header)) {
            throw malformed("1: the header is not " + String.join(",", header), null);
          }
          first = false;
        }
        drain(in);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
  }

  private void require(boolean complete, CSVRecord record) {
    if (!complete) {
      throw malformed(record.getRecordNumber() + ": has " + record.size() + " columns", null);
    }
  }

  /** Hands on each line with its number, from 1; gives the sha256. */
  String readLines(BiConsumer<Integer, String> lines) {
    return read((reader, in) -> {
      int[] number = {0};
      reader.lines().forEach(line -> lines.accept(++number[0], line));
      drain(in);
    });
  }

  private String read(BiConsumer<BufferedReader, InputStream> content) {
    MessageDigest digest = sha256();
    try (InputStream in =
        new BufferedInputStream(new DigestInputStream(Files.newInputStream(path), digest))) {
      content.accept(
          new BufferedReader(new InputStreamReader(plain(in), StandardCharsets.UTF_8)), in);
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchFileException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND, "series-not-found", path + " does not exist.", e);
    } catch (IOException e) {
      throw malformed(" cannot be read: " + e.getMessage(), e);
    } catch (UncheckedIOException e) {
      throw malformed(" cannot be read: " + e.getMessage(), e);
    }
  }

  /** The digest is of the whole file. */
  private static void drain(InputStream in) {
    try {
      in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  InputException malformed(String what, @Nullable Exception why) {
    String message = path + ":" + what;
    return why == null
        ? InputException.malformed("series-malformed", message)
        : new InputException(InputException.Kind.MALFORMED, "series-malformed", message, why);
  }

  private static InputStream plain(InputStream in) throws IOException {
    in.mark(2);
    boolean compressed = in.read() == GZIP_FIRST_BYTE && in.read() == GZIP_SECOND_BYTE;
    in.reset();
    return compressed ? new GZIPInputStream(in) : in;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
