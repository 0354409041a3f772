/** What the cluster looks like now and looked like, for those who watch it. */
@NullMarked
package dev.cotenant.service.rest.history;

import org.jspecify.annotations.NullMarked;
