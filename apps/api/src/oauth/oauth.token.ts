/** The process' `OAuth` (@weft/identity). */
export const OAUTH = Symbol('OAUTH');
