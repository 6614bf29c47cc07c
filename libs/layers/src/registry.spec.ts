import { createEgressClient, createEgressDialer, type EgressClient } from '@weft/egress';
import { evaluate, type ExpressionScope } from '@weft/expressions';
import { NO_REQUEST } from '@weft/openapi';
import { dialerTo, mcpServer, modelProvider, sandbox } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Face, Faces } from './face.js';
import { faceOfTool } from './modules/mcp-tool/tool.fixture.js';
import { faceOf } from './modules/operation/shop.fixture.js';
import { mailServer } from './modules/email/mail-server.fixture.js';
import { layerContext } from './layer-context.fixture.js';
import type { LayerContext, LayerModule, Output } from './layer-module.js';
import type { SteppingModule } from './stepping-module.js';
import { answerWell, talkingServer } from './sql/postgres/database-server.fixture.js';
import { SessionPools } from './sql/session-pools.js';
import { linkTo } from './sql/sql.fixture.js';
import { compileArgs } from './compiled-args.js';
import { publishedSchema } from './published-schema.js';
import { layerModules, moduleOf } from './registry.js';
import { LINK_MARKS } from './call/link-marks.js';
import { validateLayer, type LayerInput } from './validate-layer.js';
import { callSandbox } from './call/call-sandbox.js';

/** What examples may read: outputs of layers `fetch` and `lock`, and any run argument or blueprint variable as a text. */
const anyText = new Proxy(
  {},
  { getOwnPropertyDescriptor: () => ({ value: 'x', configurable: true, enumerable: true }), get: () => 'x' },
);
const SCOPE: ExpressionScope = {
  layers: new Map<string, unknown>([
    ['fetch', { statusCode: 200, body: 'ok', json: { id: 1 }, headers: {} }],
    ['lock', { value: 'play', existed: false, version: 7 }],
  ]),
  args: anyText,
  blueprint: anyText,
  play: { id: 'play' },
  flow: { id: 'f1', name: 'flow', key: null, version: 3 },
  company: { name: 'company' },
  link: LINK_MARKS,
};

const http: EgressClient = {
  request: async ({ url }) => ({
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"a":1,"choices":[{"message":{"content":"Yes."}}]}'),
    url,
  }),
  close: async () => undefined,
};

const SEARCH = { name: 'search', inputSchema: { type: 'object' } };
const tools = await mcpServer('2026', {
  tools: [SEARCH],
  perform: () => ({ content: [{ type: 'text', text: 'Found.' }] }),
});
const toTools = createEgressClient({ allow: [{ cidr: '127.0.0.1/32', port: null }] });
const models = await modelProvider();
afterAll(() => Promise.all([tools.close(), toTools.close(), models.close()]));

const play = { _id: 'play', company_id: 'company', createdAt: new Date('2026-01-01T00:00:00Z') };

const linkOf: Readonly<Record<string, string>> = { email: 'mail', message: 'chat', 'ai-chat': 'model', s3: 'storage' };

/** Answers of services that speak no JSON. */
const answerOf: Readonly<Record<string, string>> = {
  s3: '<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>1</Size></Contents></ListBucketResult>',
};
const TO_MODELS = { type: 'openai', endpoint: models.url, secret: 'key' };
const file = { $ref: '/api/v1/payloads/1', bytes: 1, contentType: 'text/csv', filename: 'a.csv', sha256: '' };

async function contextOf(appId: string): Promise<LayerContext> {
  const { connection } = layerContext();
  const { port } = await mailServer();
  const sockets = createEgressDialer({ allow: [{ cidr: '127.0.0.1/32', port }] });
  const databases = new SessionPools(dialerTo((await talkingServer(answerWell)).port));
  const signal = new AbortController().signal;
  const link = linkTo('postgres://weft:secret@db.example/shop');
  return layerContext({
    http:
      appId === 'mcp-tool' || appId === 'agent'
        ? toTools
        : { ...http, request: async (asked) => ({ ...(await http.request(asked)), ...bodyFor(appId) }) },
    files: { open: () => Promise.reject(new Error('no example names a file')), store: async () => file },
    database: (ask, work) => databases.use({ ...ask, companyId: 'company', playId: 'play', link, signal }, work),
    sockets: { dial: (target) => sockets.dial({ ...target, host: '127.0.0.1', port }) },
    connection: async () => (appId === 'agent' ? TO_MODELS : connection(linkOf[appId] ?? '')),
    sandbox: callSandbox({ sandbox, files: null, play, signal: new AbortController().signal, seed: 'play.0' }, SCOPE),
    plays: {
      start: async () => {
        const ended = { playId: 'child', state: 'DONE', out: null, error: null };
        return { playId: 'child', state: 'DONE', ended };
      },
    },
  });
}

function bodyFor(appId: string): { readonly body?: Buffer } {
  const text = answerOf[appId];
  return text === undefined ? {} : { body: Buffer.from(text) };
}

function saying(appId: string, args: Readonly<Record<string, unknown>>): LayerInput {
  return { appId, args, when: null, forEach: null, retry: null, timeoutMs: null, onInterrupted: 'repeat' };
}

/** Visits waiting modules until their time is over, or answers those without a time limit. */
async function outOf(module: LayerModule<unknown>, args: unknown): Promise<Output | undefined> {
  if (module.effect === 'start') {
    const started = await module.start(args, await contextOf(module.appId));
    return 'done' in started ? started.done : undefined;
  }
  if (module.effect === 'steps') return stepped(module, args, await contextOf(module.appId));
  if (module.effect !== 'park') return module.run(args, await contextOf(module.appId));
  const since = new Date('2026-01-01T00:00:00Z');
  const first = module.ask(args, { since, wait: null, answer: null, now: since });
  if ('done' in first) return first.done;
  const wait = { ...first.wait, since, position: 0, ref: 'layer' };
  const at = since.toISOString();
  const payload = { payload: 1, decision: 'approve', by: 'user', comment: null, at, receivedAt: at };
  const again = module.ask(args, { since, wait, answer: { payload }, now: since });
  return 'done' in again ? again.done : undefined;
}

/** Makes its steps one after another. */
async function stepped(module: SteppingModule<unknown>, args: unknown, context: LayerContext): Promise<Output> {
  const before: Output[] = [];
  for (;;) {
    const next = module.next(args, before);
    if ('end' in next) return next.end;
    for (const step of next.steps) {
      if (step.does !== 'call') throw new Error('an example waits for nobody');
      before.push(await step.run(context));
    }
  }
}

function faceNamed({ operation, tool }: Readonly<Record<string, unknown>>): Face | undefined {
  if (tool !== undefined) return faceOfTool(SEARCH, tools.url);
  return typeof operation === 'string' ? faceOf(operation) : undefined;
}

/** Of flows that are tools. */
const FACES: Faces = new Map([
  [
    'flow:open-task',
    {
      ...{
        title: 'Open a task',
        description: 'Opens a task.',
        digest: '',
        argsSchema: { type: 'object' },
        outSchema: {},
      },
      ...{ plan: NO_REQUEST, baseUrl: null, linkKinds: [], warnings: [] },
    },
  ],
]);

/** What a client sees that has only the answer of `GET /modules`. */
function published(schema: z.ZodType, io: 'input' | 'output'): z.ZodType {
  return z.fromJSONSchema(JSON.parse(JSON.stringify(publishedSchema(schema, io))) as JsonSchema);
}

type JsonSchema = Record<string, unknown> & {
  properties: Record<string, Record<string, unknown>>;
  required?: string[];
};

/** The contract of modules: every module in the registry must pass it. */
describe.each([...layerModules.values()].map((module) => [module.appId, module] as const))(
  'module %s',
  (appId, module) => {
    it('is named, shown and found by one appId', () => {
      expect(appId).toMatch(/^[a-z][a-z0-9]*(-[a-z]+)*$/);
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
      expect(validateLayer(saying(appId, args))).toMatchObject([{ code: 'invalid_args', path: 'args.notAnArgument' }]);
    });

    it('has examples with different titles', () => {
      expect(module.examples.length).toBeGreaterThan(0);
      expect(new Set(module.examples.map(({ title }) => title)).size).toBe(module.examples.length);
    });

    it('names paths of its arguments only, where it names conditions and refs', () => {
      const schema = z.toJSONSchema(module.argsSchema, { io: 'input' }) as JsonSchema;
      for (const path of [...(module.conditions ?? []), ...(module.refs ?? [])]) {
        expect(Object.keys(schema.properties)).toContain(path.split('.')[0]);
      }
    });

    it.each(module.examples.map(({ title, args }) => [title, args] as const))(
      'runs its example "%s" to an out that fits its schema and survives JSON',
      async (_title, args) => {
        expect(validateLayer(saying(appId, args))).toEqual([]);
        const given = evaluate(compileArgs(module, args), SCOPE);
        const evaluated = module.argsSchema.parse(given);
        const out = await outOf(module, module.bind?.(evaluated, faceNamed(args), FACES) ?? evaluated);
        expect(module.outSchema.parse(out)).toEqual(out);
        // clients validate by the published schema what we validate by our own
        expect(published(module.argsSchema, 'input').safeParse(given).error).toBeUndefined();
        expect(published(module.outSchema, 'output').safeParse(out).error).toBeUndefined();
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
