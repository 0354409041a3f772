/**
 * The life cycle of predictors in a user's cluster: measured rows come in, a training corrects the
 * shipped model with them, a version that proves better is promoted and served. The port {@link
 * dev.cotenant.engine.lifecycle.ModelStore} is the port of the store; {@code service} keeps it in a
 * SQL database.
 */
@NullMarked
package dev.cotenant.engine.lifecycle;

import org.jspecify.annotations.NullMarked;
