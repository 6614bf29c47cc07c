import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { layerModules } from './registry.js';
import { validateLayer } from './validate-layer.js';

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

/** What a reader would copy: a layer, or the args of one. */
const examples = [...layerModules.keys()].flatMap((appId) =>
  [...sectionOf(appId).matchAll(/\n```json\n(.*?)\n```/gs)].map((found) => {
    const shown = JSON.parse(found[1] ?? '') as { appId?: string; args?: Readonly<Record<string, unknown>> };
    return { section: appId, appId: shown.appId ?? appId, args: shown.args ?? shown };
  }),
);

describe('docs/layers.md', () => {
  it('has examples', () => expect(examples.length).toBeGreaterThan(3));

  it.each(examples)('shows in the section $section what can be saved', ({ section, appId, args }) => {
    const options = { when: null, forEach: null, retry: null, timeoutMs: null, onInterrupted: 'repeat' } as const;
    expect(appId).toBe(section);
    expect(validateLayer({ ...options, appId, args })).toEqual([]);
  });

  it('has a section for each module, and for no other', () => {
    const modules = page.split('\n## Modules\n')[1]?.split('\n## ')[0] ?? '';
    const headings = [...modules.matchAll(/\n### (.*)\n/g)].map((found) => found[1]);
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
