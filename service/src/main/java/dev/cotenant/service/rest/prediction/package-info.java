/** Predictions over REST, of graphs, registered models and language models. */
@NullMarked
package dev.cotenant.service.rest.prediction;

import org.jspecify.annotations.NullMarked;
