package dev.cotenant.domain.prediction;

import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.workload.RunSettings;

/**
 * How a workload runs and what its graph says that it does, for models that estimate what it does
 * to neighbours before it was measured.
 *
 * @param batchSize samples a step, at least 1
 */
public record GraphRun(GraphWork work, int batchSize, RunSettings settings) {}
