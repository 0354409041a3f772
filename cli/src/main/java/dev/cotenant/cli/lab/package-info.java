/** The policy lab. */
@NullMarked
package dev.cotenant.cli.lab;

import org.jspecify.annotations.NullMarked;
