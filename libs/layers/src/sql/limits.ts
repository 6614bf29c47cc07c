/** Values of one statement: the driver counts their types in 15 bits. */
export const MAX_NAMED_VALUES = 32_767;
/** Statements of one transaction. */
export const MAX_STATEMENTS = 100;
