export { compareImports, type OperationDifference } from './compare/compare-imports.js';
export { readApi } from './operations/read-api.js';
export { MAX_DOCUMENT_BYTES } from './limits.js';
export { DocumentFault } from './document/document-fault.js';
export type { ApiFacts, ImportReport, Operation, OperationPlan, SecurityChoice } from './operations/plan.js';
export { compileRequest } from './request/compile-request.js';
export { InputFault } from './request/input-fault.js';
export { serverAddress } from './request/server-address.js';
