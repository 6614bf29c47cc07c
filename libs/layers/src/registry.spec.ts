import { compile, evaluate, type Scope } from '@weft/expressions';
import type { EgressClient } from '@weft/egress';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LayerContext } from './layer-module.js';
import { layerModules, moduleOf } from './registry.js';
import { validateArgs } from './validate-args.js';

/** What examples may read: outputs of layers `fetch`, and any run argument or blueprint variable as a text. */
const anyText = new Proxy(
  {},
  { getOwnPropertyDescriptor: () => ({ value: 'x', configurable: true, enumerable: true }), get: () => 'x' },
);
const SCOPE: Scope = {
  layers: new Map([['fetch', { statusCode: 200, body: 'ok', json: { id: 1 }, headers: {} }]]),
  args: anyText,
  blueprint: anyText,
  play: { id: 'play' },
  flow: { name: 'flow' },
  company: { name: 'company' },
};

const http: EgressClient = {
  request: async ({ url }) => ({
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"a":1}'),
    url,
  }),
  close: async () => undefined,
};

const CONTEXT: LayerContext = {
  playId: 'play',
  idempotencyKey: 'play.0',
  signal: new AbortController().signal,
  timeoutMs: 30_000,
  maxOutputBytes: 1_000_000,
  http,
  progress: () => undefined,
};

type JsonSchema = Record<string, unknown> & {
  properties: Record<string, Record<string, unknown>>;
  required?: string[];
};

/** The contract of a module: whoever adds one to the registry is held to it. */
describe.each([...layerModules.values()].map((module) => [module.appId, module] as const))(
  'module %s',
  (appId, module) => {
    it('is named, shown and found by one appId', () => {
      expect(appId).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect([...layerModules.values()].filter((other) => other.appId === appId)).toHaveLength(1);
      expect(moduleOf(appId)).toBe(module);
      for (const text of [module.title, module.description, module.icon]) expect(text.trim()).not.toBe('');
      expect(module.description).toMatch(/\.$/);
    });

    it.each(['argsSchema', 'outSchema'] as const)(
      'publishes its %s as a closed JSON Schema with a word on each field',
      (name) => {
        const schema = z.toJSONSchema(module[name], { io: name === 'argsSchema' ? 'input' : 'output' }) as JsonSchema;
        expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
        for (const [field, property] of Object.entries(schema.properties)) {
          expect(property.description, field).toEqual(expect.stringMatching(/\S/));
        }
      },
    );

    it('needs nothing that has a default', () => {
      const schema = z.toJSONSchema(module.argsSchema, { io: 'input' }) as JsonSchema;
      for (const field of schema.required ?? []) expect(schema.properties[field], field).not.toHaveProperty('default');
    });

    it('refuses an argument that it does not know', () => {
      const args = { ...module.examples[0]?.args, notAnArgument: 1 };
      expect(validateArgs(appId, args).errors).toMatchObject([{ code: 'invalid_args', path: 'args' }]);
    });

    it('has examples with different titles', () => {
      expect(module.examples.length).toBeGreaterThan(0);
      expect(new Set(module.examples.map(({ title }) => title)).size).toBe(module.examples.length);
    });

    it.each(module.examples.map(({ title, args }) => [title, args] as const))(
      'runs its example "%s" to an out that fits its schema and survives JSON',
      async (_title, args) => {
        expect(validateArgs(appId, args).errors).toEqual([]);
        const evaluated = module.argsSchema.parse(evaluate(compile(args), SCOPE));
        const out = await module.run(evaluated, CONTEXT);
        expect(module.outSchema.parse(out)).toEqual(out);
        expect(JSON.parse(JSON.stringify(out))).toEqual(out);
      },
    );
  },
);

describe('the registry', () => {
  it('knows no name that every object has', () => {
    for (const name of ['constructor', '__proto__', 'toString', '']) expect(moduleOf(name)).toBeUndefined();
  });
});
