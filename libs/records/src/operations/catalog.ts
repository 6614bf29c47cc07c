import type { Migration } from './migration.js';

/**
 * Every change of stored documents since version 1.0.0, in the order in which they run. New ones go to the end; none is
 * changed or taken out once it was released: a process says how new it is by how many it knows.
 */
export const MIGRATIONS: readonly Migration[] = [];
