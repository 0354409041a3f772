/** Fleet plans from documents: the request, the strategy, and predictions for the plan. */
@NullMarked
package dev.cotenant.engine.plan;

import org.jspecify.annotations.NullMarked;
