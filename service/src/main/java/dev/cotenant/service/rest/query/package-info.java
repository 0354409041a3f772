/** Query parameters that several endpoints share. */
@NullMarked
package dev.cotenant.service.rest.query;

import org.jspecify.annotations.NullMarked;
