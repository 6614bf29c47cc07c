/** Injects the process's `Clock`. */
export const CLOCK = Symbol('CLOCK');
/** Injects the process's `NewId`. */
export const NEW_ID = Symbol('NEW_ID');
