/** Commands that run the service. */
@NullMarked
package dev.cotenant.cli.service;

import org.jspecify.annotations.NullMarked;
