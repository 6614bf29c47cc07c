import { expect, it } from 'vitest';
import { DocumentFault } from '../document/document-fault.js';
import { readTools } from './read-tools.js';
import { toolDigest } from './tool-digest.js';

const read = (...tools: unknown[]) =>
  readTools(Buffer.from(JSON.stringify({ protocol: '2026-07-28', server: { name: 's', version: '1' }, tools })));
const TEXT = { type: 'string' };

it('takes a tool with its own definitions, also where they are recursive', () => {
  const Node = { type: 'object', properties: { next: { $ref: '#/definitions/Node' }, name: TEXT } };
  const inputSchema = { type: 'object', properties: { root: { $ref: '#/definitions/Node' } }, definitions: { Node } };
  const { operations, report } = read({ name: 'walk', inputSchema });
  expect(report).toMatchObject({ operations: 1, skippedCount: 0, warningsCount: 0 });
  expect(operations[0]?.argsSchema).toMatchObject({
    properties: { root: { $ref: '#/$defs/Node' } },
    $defs: { Node: { properties: { next: { $ref: '#/$defs/Node' } } } },
  });
});

it('takes no other arguments than a tool lists, unless the tool says so', () => {
  const closedOf = (inputSchema: object) =>
    read({ name: 't', inputSchema }).operations[0]?.argsSchema.additionalProperties;
  const properties = { a: TEXT };
  expect(closedOf({ type: 'object', properties })).toBe(false);
  expect(closedOf({ type: 'object', properties, additionalProperties: true })).toBe(true);
  expect(closedOf({ type: 'object' })).toBeUndefined();
  expect(closedOf({ type: 'object', properties, anyOf: [{ properties: { b: TEXT } }] })).toBeUndefined();
});

it('names a tool by what layers may write, and calls it by its own name', () => {
  const inputSchema = { type: 'object' };
  const { operations } = read({ name: 'wiki/search it', inputSchema }, { name: 'wiki search/it', inputSchema });
  expect(operations.map(({ name, plan }) => [name, plan.tool?.name])).toEqual([
    ['wiki_search_it', 'wiki/search it'],
    ['wiki_search_it_2', 'wiki search/it'],
  ]);
});

it('keeps which arguments are sent as headers, too', () => {
  const region = { ...TEXT, description: 'Where.', 'x-mcp-header': 'Region' };
  const inputSchema = {
    type: 'object',
    properties: { region, at: { type: 'object', properties: { region } }, a: TEXT },
  };
  const kept = { type: 'string', 'x-mcp-header': 'Region' };
  expect(read({ name: 't', inputSchema }).operations[0]?.plan.tool?.headers).toEqual({
    type: 'object',
    properties: { region: kept, at: { type: 'object', properties: { region: kept } } },
  });
});

it('has a digest of name, description and schemas, whatever the order of their fields', () => {
  const tool = {
    name: 't',
    description: 'd',
    inputSchema: { type: 'object', properties: { a: TEXT } },
    outputSchema: {},
  };
  const digest = toolDigest(tool);
  const { name, description, inputSchema, outputSchema } = tool;
  expect(toolDigest({ outputSchema, inputSchema, description, name, title: 'T', annotations: {} })).toBe(digest);
  for (const other of [
    { name: 'u' },
    { description: 'e' },
    { inputSchema: { type: 'object' } },
    { outputSchema: TEXT },
  ]) {
    expect(toolDigest({ ...tool, ...other })).not.toBe(digest);
  }
});

it('has a bound on the number of tools', () => {
  const tools = Array.from({ length: 1_001 }, (_, i) => ({ name: `t${i}`, inputSchema: {} }));
  expect(() => read(...tools)).toThrow(DocumentFault);
  expect(read(...tools.slice(1)).operations).toHaveLength(1_000);
});
