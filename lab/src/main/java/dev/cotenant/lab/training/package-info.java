/** Published results on training jobs that share GPUs: UtilPred, Lucid, ResAware. */
@NullMarked
package dev.cotenant.lab.training;

import org.jspecify.annotations.NullMarked;
