import type { Settings } from '@weft/config';
import { TokenUnusable, type OAuth } from '@weft/identity';
import type { IntegrationDocument } from '@weft/records';
import { expect, it } from 'vitest';
import { IntegrationCheck } from './integration-check.js';

/** Tests of links that have come to their token, by company, and what ends the first one of them. */
function setUp() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const accessToken = ({ CompanyID }: IntegrationDocument) => {
    begun.push(CompanyID);
    const { promise, reject } = Promise.withResolvers<string>();
    ends.push(() => reject(new TokenUnusable('it has ended')));
    return promise;
  };
  const oauth = { freshTokens: { integrations: { accessToken } } } as unknown as OAuth;
  const checks = new IntegrationCheck(oauth, { egress: { allow: [] } } as unknown as Settings);
  const test = (company: string) => checks.check({ CompanyID: company } as IntegrationDocument);
  return { begun, ends, checks, test };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('makes three tests of links of a company at once, and those of others beside them', async () => {
  const { begun, ends, checks, test } = setUp();
  const all = ['a', 'a', 'a', 'a', 'a', 'b'].map(test);
  await settled();
  expect(begun).toEqual(['a', 'a', 'a', 'b']);
  ends.shift()?.();
  await settled();
  expect(begun).toEqual(['a', 'a', 'a', 'b', 'a']);
  for (let end = ends.shift(); end; end = ends.shift()) {
    end();
    await settled();
  }
  expect((await Promise.all(all)).map(({ ok }) => ok)).toEqual(Array(6).fill(false));
  await checks.onModuleDestroy();
});
