/** Profiles of services over REST. */
@NullMarked
package dev.cotenant.service.rest.serving;

import org.jspecify.annotations.NullMarked;
