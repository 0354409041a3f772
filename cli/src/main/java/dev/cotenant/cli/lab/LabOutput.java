package dev.cotenant.cli.lab;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.cotenant.domain.InputException;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.CellTable;
import dev.cotenant.lab.figure.Preset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A folder with one CSV per table of each preset, and {@code manifest.json} with the provenance.
 *
 * @param folder made where it does not exist
 */
record LabOutput(Path folder, Provenance provenance, List<Map<String, Object>> tables) {
  private static final String MANIFEST = "manifest.json";

  LabOutput(Path folder, Provenance provenance) {
    this(folder, provenance, new ArrayList<>());
  }

  /** Writes the tables of a preset. */
  void write(Preset.Card card, int seeds, List<Cell> cells) {
    Map<String, List<Cell>> byTable = new LinkedHashMap<>();
    cells.forEach(cell -> byTable.computeIfAbsent(cell.table(), _ -> new ArrayList<>()).add(cell));
    byTable.forEach((table, ofTable) -> {
      String file = fileName(card.name() + " " + table);
      write(folder.resolve(file), new CellTable(ofTable).csv());
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("file", file);
      entry.put("preset", card.name());
      entry.put("table", table);
      entry.put("source", card.source());
      entry.put("seeds", seeds);
      tables.add(entry);
    });
  }

  private static String fileName(String words) {
    String name = words.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    return name.replaceAll("^-|-$", "") + ".csv";
  }

  /** Writes the manifest, after all presets. */
  void writeManifest() {
    Map<String, Object> manifest = new LinkedHashMap<>(provenance.asMap());
    manifest.put("tables", tables);
    try {
      String json =
          JsonMapper.builder()
              .build()
              .writerWithDefaultPrettyPrinter()
              .writeValueAsString(manifest);
      write(folder.resolve(MANIFEST), List.of(json));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a manifest can always be written", e);
    }
  }

  /**
   * Writes lines.
   *
   * @throws InputException ({@code cannot-write}) with the file
   */
  static void write(Path file, List<String> lines) {
    try {
      Path parent = file.toAbsolutePath().getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      Files.write(file, lines);
    } catch (IOException e) {
      throw InputException.invalidArgument(
          "cannot-write", "Cannot write " + file + ": " + e.getMessage());
    }
  }
}
