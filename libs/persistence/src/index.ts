export { MAJORITY, Mongo, type MongoOptions } from './mongo.js';
export { SystemScope, TenantScope } from './scope.js';
