/** Models known by name. */
@NullMarked
package dev.cotenant.engine.model;

import org.jspecify.annotations.NullMarked;
