export { asSentence } from './as-sentence.js';
export { bsonBytes } from './bson-bytes.js';
export { cutText } from './cut-text.js';
export type { Clock } from './clock.js';
export { boundedErrors, MAX_ERRORS } from './bounded-errors.js';
export { expectedValue, type ExpectedShape } from './expected-value.js';
export { isFields, type Fields } from './fields.js';
export { ERRORS, WeftError, type ErrorCode, type FieldError, type WeftErrorOptions } from './errors.js';
export { asSeenByPrograms, hasBigIntegers, writeJson, writeJsonForPrograms, type WrittenJson } from './big-integers.js';
export {
  assertJsonDepth,
  ExactIntegers,
  MAX_JSON_DEPTH,
  parseJson,
  parseStoredJson,
  type JsonBounds,
} from './parse-json.js';
export { isForbiddenKey, jsonFault, MAX_JSON_NESTING } from './json-fault.js';
export { countValues } from './value-count.js';
export { createIdSource, idBefore, idFromBits, idsFrom, isId, lastIdAt, madeAt, type NewId } from './ids.js';
export { CLOCK, NEW_ID } from './tokens.js';
export { AFTER_REQUESTS, isDrainable, orderOf, type Drainable } from './drainable.js';
