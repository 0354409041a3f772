/** What may share a GPU, what may not, and the numbered reasons. */
@NullMarked
package dev.cotenant.domain.decision;

import org.jspecify.annotations.NullMarked;
