/** What the cluster looks like now, in totals and by GPU, and what it looked like. */
@NullMarked
package dev.cotenant.service.history;

import org.jspecify.annotations.NullMarked;
