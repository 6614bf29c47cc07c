export { bsonBytes } from './bson-bytes.js';
export { cutText } from './cut-text.js';
export type { Clock } from './clock.js';
export { boundedErrors, MAX_ERRORS } from './bounded-errors.js';
export { ERRORS, WeftError, type ErrorCode, type FieldError, type WeftErrorOptions } from './errors.js';
export { Gathered, type GatheredOptions } from './gathered.js';
export { isForbiddenKey, jsonFault, MAX_JSON_NESTING } from './json-fault.js';
export { countValues } from './value-count.js';
export { createIdSource, idBefore, isId, lastIdAt, madeAt, type NewId } from './ids.js';
