package dev.cotenant.datasets.file;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Sha256;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A UTF-8 text file of a set, plain or gzipped, read once from start to end and hashed as stored.
 *
 * <p>Reading fails with an {@link InputException}: {@code data-not-found}, {@code data-unreadable}
 * (no text, a broken archive) or {@code data-columns}.
 *
 * @param path the file
 */
public record DataFile(Path path) {
  private static final int GZIP_FIRST_BYTE = 0x1f;
  private static final int GZIP_SECOND_BYTE = 0x8b;
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  /** Reads the content of a file, possibly lazily. */
  private interface Content {
    void read(BufferedReader reader) throws IOException;
  }

  /** Takes one line of a file with its number, from 1. */
  @FunctionalInterface
  public interface LineReader {
    void read(int number, String line);
  }

  /** The last part of the path. */
  public String name() {
    Path name = path.toAbsolutePath().normalize().getFileName();
    return name == null ? path.toString() : name.toString();
  }

  /** The file itself, or the file of this name (or with .gz) in a folder. */
  public static DataFile in(Path path, String name) {
    if (!Files.isDirectory(path)) {
      return new DataFile(path);
    }
    Path packed = path.resolve(name + ".gz");
    return new DataFile(Files.exists(packed) ? packed : path.resolve(name));
  }

  /**
   * Hands on every row after the header; what {@code use} refuses goes to {@code rejected} with
   * file, line and reason. Blank lines are skipped.
   *
   * @param columns required columns; others are ignored
   * @return the SHA-256 of the file
   */
  public String readTable(List<String> columns, Consumer<DataRow> use, List<String> rejected) {
    return read(reader -> {
      CsvRows rows =
          new CsvRows(reader, (reason, line) -> rejected.add(path + ":" + line + ": " + reason));
      Map<String, Integer> positions = header(rows.next(), columns);
      for (List<String> cells = rows.next(); cells != null; cells = rows.next()) {
        if (cells.size() > 1 || !cells.getFirst().isBlank()) {
          use(new DataRow(this, rows.line(), cells, positions), use, rejected);
        }
      }
    });
  }

  private void use(DataRow row, Consumer<DataRow> use, List<String> rejected) {
    try {
      use.accept(row);
    } catch (UnusableRowException e) {
      rejected.add(path + ":" + row.line() + ": " + e.getMessage());
    }
  }

  private Map<String, Integer> header(@Nullable List<String> names, List<String> columns) {
    Map<String, Integer> positions = new HashMap<>();
    if (names != null) {
      for (int i = 0; i < names.size(); i++) {
        positions.putIfAbsent(names.get(i).replace(BYTE_ORDER_MARK, "").strip(), i);
      }
    }
    List<String> missing = columns.stream().filter(name -> !positions.containsKey(name)).toList();
    if (!missing.isEmpty()) {
      throw InputException.malformed(
          "data-columns",
          path + ":1: these columns are missing: " + String.join(", ", missing) + ".");
    }
    return positions;
  }

  /**
   * Hands on each line with its number, from 1.
   *
   * @return the SHA-256 of the file
   */
  public String readLines(LineReader lines) {
    return read(reader -> {
      int number = 0;
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.read(++number, line);
      }
    });
  }

  private String read(Content content) {
    MessageDigest digest = Sha256.digest();
    try (InputStream in =
        new BufferedInputStream(new DigestInputStream(Files.newInputStream(path), digest))) {
      content.read(new BufferedReader(text(in)));
      in.transferTo(OutputStream.nullOutputStream()); // the digest is of the whole file
      return Sha256.of(digest);
    } catch (NoSuchFileException e) {
      throw notFound(path, e);
    } catch (IOException e) {
      throw unreadable(path, e);
    } catch (UncheckedIOException e) {
      throw unreadable(path, e);
    }
  }

  /** Text after decompression, where the first two bytes say that it is compressed. */
  private static Reader text(InputStream in) throws IOException {
    in.mark(2);
    boolean compressed = in.read() == GZIP_FIRST_BYTE && in.read() == GZIP_SECOND_BYTE;
    in.reset();
    return new InputStreamReader(
        compressed ? new GZIPInputStream(in) : in, StandardCharsets.UTF_8.newDecoder());
  }

  /** SHA-256 of the concatenated files in this order. */
  public static String sha256(List<Path> files) {
    MessageDigest digest = Sha256.digest();
    try (OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
      for (Path file : files) {
        add(file, out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Sha256.of(digest);
  }

  private static void add(Path file, OutputStream out) {
    try {
      Files.copy(file, out);
    } catch (NoSuchFileException e) {
      throw notFound(file, e);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static InputException notFound(Path path, Exception cause) {
    return new InputException(
        InputException.Kind.NOT_FOUND, "data-not-found", path + " does not exist.", cause);
  }

  private static InputException unreadable(Path path, Exception cause) {
    Throwable root = cause instanceof UncheckedIOException ? cause.getCause() : cause;
    String reason =
        root instanceof CharacterCodingException
            ? "it is not UTF-8 text"
            : String.valueOf(root == null ? cause.getMessage() : root.getMessage());
    return new InputException(
        InputException.Kind.MALFORMED,
        "data-unreadable",
        path + " cannot be read (" + reason.replaceAll("\\s+", " ") + ").",
        cause);
  }
}
