/** Fleet plans from documents: what is asked, who plans it, what is predicted of the answer. */
@NullMarked
package dev.cotenant.engine.plan;

import org.jspecify.annotations.NullMarked;
