export type { OperationDifference } from './compare/compare-imports.js';
export { readApi } from './operations/read-api.js';
export { DocumentFault } from './document/document-fault.js';
export type { ApiFacts, ImportReport, Operation } from './operations/plan.js';
