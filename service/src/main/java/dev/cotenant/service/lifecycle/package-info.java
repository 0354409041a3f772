/** The life cycle of predictors as the service runs it: in the background, off the request path. */
@NullMarked
package dev.cotenant.service.lifecycle;

import org.jspecify.annotations.NullMarked;
