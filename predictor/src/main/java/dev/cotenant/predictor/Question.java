package dev.cotenant.predictor;

import dev.cotenant.predictor.forest.Novelty;
import dev.cotenant.predictor.layered.Asked;

/**
 * What a predictor is asked.
 *
 * @param asked the run and where it is
 * @param novelty in which respects it lies outside of what was learned from
 */
record Question(Asked asked, Novelty novelty) {}
