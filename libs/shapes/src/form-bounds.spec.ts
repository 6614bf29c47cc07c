import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { formBounds } from './form-bounds.js';

it('is what the forms of the dashboard keep to', () => {
  const file = new URL('../../../apps/dashboard/src/ui/bounds.json', import.meta.url);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(formBounds());
});
