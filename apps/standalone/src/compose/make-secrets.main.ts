// The service `secrets` of docker-compose.yml.
import { parseArgs } from 'node:util';
import { makeSecrets } from './make-secrets.js';

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    mongodb: { type: 'string' },
    redis: { type: 'string' },
    'weft-user': { type: 'string' },
    'stores-user': { type: 'string' },
    'stores-data': { type: 'string', multiple: true, default: [] },
  },
});

function given(name: Exclude<keyof typeof values, 'stores-data'>): string {
  const value = values[name];
  if (value === undefined || value === '') throw new Error(`--${name} is missing`);
  return value;
}

const made = makeSecrets({
  folder: given('folder'),
  mongodb: given('mongodb'),
  redis: given('redis'),
  weftUser: Number(given('weft-user')),
  storesUser: Number(given('stores-user')),
  storesData: values['stores-data'],
});
console.log(made ? 'The secrets of this installation were made.' : 'This installation keeps its secrets.');
