import { readFileSync } from 'node:fs';
import { ERRORS } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { CONTRACT_ROUTES } from '../../../../test/rights/contract-routes.js';

const page = readFileSync(new URL('../../../../docs/http-api.md', import.meta.url), 'utf8');
const rows = page.split('\n').flatMap((line) => (line.startsWith('| ') ? [line.split(' | ')] : []));

/** `GET, PUT /flows, …/:id; DELETE /kv` as `GET /flows`, `GET /flows/:id`, `PUT /flows`, … */
function operationsIn(cell: string): string[] {
  return cell.split('; ').flatMap((part) => {
    const names = part.split(', ').flatMap((name) => name.split(' '));
    const methods = names.filter((name) => /^[A-Z]+$/.test(name));
    const paths = names.filter((name) => /^[=/…]/.test(name));
    const first = paths[0] ?? '';
    return paths.flatMap((path) => methods.map((method) => `${method} ${path.replace('…', first)}`));
  });
}

const withoutNames = (operation: string): string => operation.replace(/:\w+/g, ':');

describe('docs/http-api.md', () => {
  it('has every operation', () => {
    const described = new Set(
      rows.flatMap(([first = '']) => operationsIn(first.replace(/^\| /, '')).map(withoutNames)),
    );
    const short = CONTRACT_ROUTES.flatMap(({ method, path }) => {
      if (path.startsWith('/api/v1/')) return [`${method} ${path.slice('/api/v1'.length)}`];
      return path.startsWith('/api/') && !/openapi|docs|health/.test(path) ? [] : [`${method} =${path}`];
    });
    expect(short.length).toBeGreaterThan(100);
    expect(short.map(withoutNames).filter((operation) => !described.has(operation))).toEqual([]);
  });

  it('has every code of a refusal, in the row of its status', () => {
    const codes = new Map(
      rows.flatMap(([first = '', second = '']) =>
        /^\| [45]\d\d/.test(first) ? [...second.matchAll(/`(\w+)`/g)].map(([, code]) => [code, first] as const) : [],
      ),
    );
    expect([...codes.keys()].sort()).toEqual(Object.keys(ERRORS).sort());
    for (const [code, { status }] of Object.entries(ERRORS)) expect(codes.get(code)).toContain(String(status));
  });
});
