import { expect, it } from 'vitest';
import { agentFields, fixedField, isOfTool, pathsOf, toolFields, toolWords } from './agent-fields';
import { fieldsOfArgs, type Field, type Schema } from './form-model';

const number = (value: number) => ({ type: 'integer', default: value });
const ofTool = {
  name: { type: 'string' },
  approve: { type: 'string' },
  max: { type: 'integer' },
  parallel: { type: 'boolean', default: false },
};
const after = { onInterrupted: { enum: ['repeat', 'fail'], default: 'repeat' } };
const toolOf = (kind: string, properties: object) => ({
  type: 'object',
  properties: { kind: { const: kind }, ...properties, ...ofTool },
});
/** As the module says them, in part. */
const ARGS: Schema = {
  type: 'object',
  properties: {
    integrationId: { type: 'string' },
    onLimit: { enum: ['fail', 'answer'], default: 'fail' },
    tools: {
      type: 'array',
      items: {
        oneOf: [
          toolOf('flow', { flowId: { type: 'string' } }),
          toolOf('operation', { api: { type: 'string' }, server: { type: 'integer' }, auth: {}, ...after }),
          toolOf('mcp', { server: { type: 'string' }, tool: { type: 'string' }, ...after }),
        ],
      },
    },
    limits: { type: 'object', properties: { steps: number(20), toolCalls: number(50) } },
  },
};

const fields = agentFields(fieldsOfArgs('agent', ARGS));
const named = (name: string): Field => {
  const found = fields.find((each) => each.name === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
};

it('says the arguments of an agent, and of its tools, in words', () => {
  expect(fields.map(({ label }) => label)).toEqual(['Provider (link)', 'At a limit', 'Tools', 'Limits']);
  expect(named('onLimit')).toMatchObject({ words: { fail: 'It fails' } });
  const tools = named('tools');
  if (tools.kind !== 'list') throw new Error('tools are a list');
  const labels = (kind: string) => toolFields(tools.item, kind).map(({ label }) => label);
  const ofAll = ['Name for the model', 'Most calls', 'Several calls'];
  expect(labels('flow')).toEqual(ofAll);
  expect(labels('operation')).toEqual(['Address of the API', 'Credential', 'After a crash', ...ofAll]);
  expect(labels('mcp')).toEqual(['After a crash', ...ofAll]);
  expect(isOfTool('mcp', 'server')).toBe(false);
});

it('shows limits with what holds without them', () => {
  const limits = named('limits');
  if (limits.kind !== 'object') throw new Error('limits are an object');
  expect(limits.isShown).toBe(true);
  expect(limits.fields.map(({ label, fallback, isShown }) => [label, fallback, isShown])).toEqual([
    ['Answers of the model', '20', true],
    ['Calls of tools', '50', true],
  ]);
});

const SCHEMA: Schema = {
  type: 'object',
  properties: {
    path: { type: 'object', properties: { id: { type: 'integer' } } },
    body: { $ref: '#/$defs/Order' },
  },
  $defs: {
    Order: {
      type: 'object',
      properties: { note: { type: 'string' }, 'a.b': {}, parts: { $ref: '#/$defs/Order' } },
    },
  },
};

it('knows what can be fixed, and of which kind it is; a schema that refers to itself ends', () => {
  expect(pathsOf(SCHEMA)).toEqual([
    ...['path', 'path.id', 'body', 'body.note', 'body.parts', 'body.parts.note', 'body.parts.parts'],
  ]);
  expect([fixedField(SCHEMA, 'path.id').kind, fixedField(SCHEMA, 'body.parts.note').kind]).toEqual(['number', 'text']);
  expect(fixedField(SCHEMA, 'body.gone').kind).toBe('any');
});

it('says what is particular of a tool', () => {
  expect(toolWords({ kind: 'flow', flowId: 'f' })).toEqual([]);
  expect(toolWords({ approve: 'always', fixed: { 'body.to': 1 }, max: 2 })).toEqual([
    ...['asks a person', 'body.to fixed', 'up to 2 calls'],
  ]);
  expect(toolWords({ approve: '{{ $call.args.a }}' })).toEqual(['may ask a person']);
});
