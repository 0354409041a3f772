/** What predicts pods, composed of the parts that know something of them. */
@NullMarked
package dev.cotenant.engine.path;

import org.jspecify.annotations.NullMarked;
