import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { layerModules } from './registry.js';

const page = readFileSync(new URL('../../../docs/layers.md', import.meta.url), 'utf8');

function sectionOf(appId: string): string {
  return page.split(`\n### ${appId}\n`)[1]?.split('\n##')[0] ?? '';
}

function namedIn(appId: string, line: 'args' | 'out'): string[] {
  const text = sectionOf(appId).split(`\n- ${line}: `)[1]?.split('\n')[0] ?? '';
  return [...text.replaceAll(/\(.*?\)/g, '').matchAll(/`(\w+)`/g)].map((found) => found[1] ?? '');
}

function fieldsOf(schema: z.ZodType, io: 'input' | 'output'): string[] {
  const { properties } = z.toJSONSchema(schema, { io }) as { properties: Record<string, unknown> };
  return Object.keys(properties);
}

describe('docs/layers.md', () => {
  it('has a section for each module, and for no other', () => {
    const headings = [...page.matchAll(/\n### (.*)\n/g)].map((found) => found[1]);
    expect(headings).toEqual([...layerModules.keys()]);
  });

  it.each([...layerModules.values()])(
    'names every argument and output of $appId',
    ({ appId, argsSchema, outSchema }) => {
      expect(namedIn(appId, 'args')).toEqual(fieldsOf(argsSchema, 'input'));
      expect(namedIn(appId, 'out')).toEqual(fieldsOf(outSchema, 'output'));
    },
  );
});
