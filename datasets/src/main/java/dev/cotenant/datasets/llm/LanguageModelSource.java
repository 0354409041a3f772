package dev.cotenant.datasets.llm;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.domain.InputException;
import dev.cotenant.llm.MeasuredRuns;
import dev.cotenant.llm.inference.GenerationRun;
import dev.cotenant.llm.serving.ServingRun;
import dev.cotenant.llm.tuning.TuningRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Reads a folder of measured memory of language models: {@code vllm_h100.csv}, {@code peft.csv},
 * {@code litgpt.csv}, {@code qwen1_finetune.csv} and {@code qwen_inference.csv}, of which any may
 * be missing, and {@code models/} with a {@code config.json} for each model that they name.
 *
 * @param folder the folder
 */
public record LanguageModelSource(Path folder) {
  public static final String FORMAT = "llm";

  /**
   * What was read.
   *
   * @param rejected a line for each row that is not used: file, line and reason
   */
  public record Result(MeasuredRuns runs, List<String> rejected) {
    public Result {
      rejected = List.copyOf(rejected);
    }
  }

  /**
   * Reads all files.
   *
   * @param others folders in which models are looked for that this one lacks
   * @throws InputException ({@code no-language-model-rows}) where the folder has none of the files;
   *     else as {@link DataFile}
   */
  public Result read(List<Path> others) {
    List<Path> folders = new ArrayList<>();
    folders.add(folder);
    folders.addAll(others);
    PublishedModels models = new PublishedModels(folders);
    List<String> rejected = new ArrayList<>();
    ServingRows serving = new ServingRows(models);
    TuningRows tuning = new TuningRows(models);
    List<ServingRun> served = rows("vllm_h100.csv", ServingRows.COLUMNS, serving::run, rejected);
    List<TuningRun> tuned = new ArrayList<>();
    tuned.addAll(rows("peft.csv", TuningRows.PEFT, tuning::peft, rejected));
    tuned.addAll(rows("litgpt.csv", TuningRows.LITGPT, tuning::litgpt, rejected));
    tuned.addAll(rows("qwen1_finetune.csv", TuningRows.QWEN, tuning::qwen, rejected));
    List<GenerationRun> generated =
        rows(
            "qwen_inference.csv",
            GenerationRows.COLUMNS,
            new GenerationRows(models)::run,
            rejected);
    MeasuredRuns runs = new MeasuredRuns(served, tuned, generated);
    if (runs.size() + rejected.size() == 0) {
      throw InputException.notFound(
          "no-language-model-rows",
          folder
              + ": holds none of vllm_h100.csv, peft.csv, litgpt.csv, qwen1_finetune.csv and"
              + " qwen_inference.csv with a row.");
    }
    return new Result(runs, rejected);
  }

  private <T> List<T> rows(
      String file, List<String> columns, Function<DataRow, T> row, List<String> rejected) {
    Path path = folder.resolve(file);
    if (!Files.exists(path)) {
      return List.of();
    }
    List<T> rows = new ArrayList<>();
    new DataFile(path).readTable(columns, cells -> rows.add(row.apply(cells)), rejected);
    return rows;
  }
}
