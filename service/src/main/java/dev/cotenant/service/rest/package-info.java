/** The REST interface. */
@NullMarked
package dev.cotenant.service.rest;

import org.jspecify.annotations.NullMarked;
