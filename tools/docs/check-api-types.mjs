// @ts-check
// Whether libs/client/src/api-types.ts is what the built API says of itself. A process of its own, because the API's packages exist only
// after the set-up.
import { apiTypesAreCurrent, writeApiTypes } from './api-types.mjs';

if (process.argv.includes('--fix')) await writeApiTypes();
process.exit((await apiTypesAreCurrent()) ? 0 : 1);
