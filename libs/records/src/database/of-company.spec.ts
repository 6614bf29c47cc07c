import { expect, it } from 'vitest';
import { COLLECTIONS } from './collections.js';

/** They name a company that they do not belong to: the job outlives the company, a provider is of the installation. */
const OTHERS = ['company_jobs', 'oauth_providers'];

it('every collection whose documents name a company says by which field they are its', () => {
  const wrong = COLLECTIONS.filter(({ name, schema, ofCompany }) => {
    const paths = Object.keys(schema.paths).filter((path) => /(^|\.)company_?id$/i.test(path));
    if (OTHERS.includes(name)) return ofCompany !== null;
    return paths.length > 0 && typeof ofCompany !== 'function' && !paths.includes(String(ofCompany));
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

it('every collection is of companies, or known to be of the installation', () => {
  const ofNone = COLLECTIONS.filter(({ ofCompany }) => ofCompany === null).map(({ name }) => name);
  expect(ofNone.sort()).toEqual([
    'audit_keys',
    'backups',
    'company_jobs',
    'external_identities',
    'health_probes', // with their users
    'jobs',
    'leases',
    'migrations',
    'oauth_providers',
    'payloads.chunks', // with their files
    'secret_checks',
    'settings',
  ]);
});
