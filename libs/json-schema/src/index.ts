export type { JsonSchema } from './definitions.js';
export { schemaFaults } from './schema-faults.js';
export { valueFaults } from './value-faults.js';
