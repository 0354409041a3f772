package dev.cotenant.datasets.gpumemnet;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
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
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/**
 * Reads the run table of GPUMemNet, plain or gzipped, row by row.
 *
 * <p>The set holds training runs in fp32 on an A100 with 40 GB: DCGM utilization, averaged from
 * start to end, so that short runs read low, and peak memory. Networks are random; {@code source}
 * names the generator (two of perceptrons, one of convolutional networks) and {@code topology} its
 * layout. Rows marked {@code suspected_crash} died early by the look of their inputs and are kept
 * with that mark.
 */
public final class GpuMemNetSource implements ProfileSource {
  private static final int GZIP_FIRST_BYTE = 0x1f;
  private static final int GZIP_SECOND_BYTE = 0x8b;

  private final Path file;

  /**
   * @param file the table, CSV or gzipped CSV
   */
  public GpuMemNetSource(Path file) {
    this.file = file;
  }

  @Override
  public String format() {
    return GpuMemNetRow.FORMAT;
  }

  @Override
  public Result read() {
    MessageDigest digest = sha256();
    try (InputStream in =
        new BufferedInputStream(new DigestInputStream(Files.newInputStream(file), digest))) {
      Rows rows = readRows(in);
      return new Result(rows.good, rows.rejected, HexFormat.of().formatHex(digest.digest()));
    } catch (NoSuchFileException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND,
          "profiles-not-found",
          file + " does not exist: name a GPUMemNet run table.",
          e);
    } catch (IOException e) {
      throw unreadable(e);
    } catch (UncheckedIOException e) {
      throw unreadable(e);
    }
  }

  private InputException unreadable(Exception cause) {
    return new InputException(
        InputException.Kind.MALFORMED,
        "profiles-unreadable",
        file + " cannot be read as CSV: " + cause.getMessage(),
        cause);
  }

  private Rows readRows(InputStream in) throws IOException {
    try (BufferedReader reader =
            new BufferedReader(new InputStreamReader(plain(in), StandardCharsets.UTF_8));
        CSVParser parser = CSVParser.parse(reader, CSVFormat.RFC4180)) {
      Iterator<CSVRecord> records = parser.iterator();
      GpuMemNetHeader header = GpuMemNetHeader.of(file, records);
      Rows rows = new Rows();
      while (records.hasNext()) {
        rows.add(header, records.next(), parser.getCurrentLineNumber());
      }
      in.transferTo(OutputStream.nullOutputStream()); // the digest is of the whole file
      return rows;
    }
  }

  /** The bytes after decompression, where the first two say that they are compressed. */
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

  private final class Rows {
    private final List<ProfileRow> good = new ArrayList<>();
    private final List<String> rejected = new ArrayList<>();

    void add(GpuMemNetHeader header, CSVRecord cells, long line) {
      try {
        good.add(new GpuMemNetRow(header, cells).toProfile(line));
      } catch (GpuMemNetRow.BadCellException e) {
        rejected.add(file + ":" + line + ": " + e.getMessage());
      }
    }
  }
}
