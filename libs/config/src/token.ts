/** Injects the process's `Settings`. */
export const SETTINGS = Symbol('SETTINGS');
