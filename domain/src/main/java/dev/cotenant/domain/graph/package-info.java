/** What a model graph is made of. */
@NullMarked
package dev.cotenant.domain.graph;

import org.jspecify.annotations.NullMarked;
