/**
 * The life of predictors in somebody's cluster: measured rows come in, a training corrects the
 * shipped model with them, a version that proves better is promoted and served. The port {@link
 * dev.cotenant.engine.lifecycle.ModelStore} says what has to be kept; {@code service} keeps it in a
 * SQL database.
 */
@NullMarked
package dev.cotenant.engine.lifecycle;

import org.jspecify.annotations.NullMarked;
