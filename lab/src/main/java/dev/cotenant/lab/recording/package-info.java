/** Recordings from files: tables of jobs and published traces. */
@NullMarked
package dev.cotenant.lab.recording;

import org.jspecify.annotations.NullMarked;
