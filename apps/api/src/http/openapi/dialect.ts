import { ANY_TYPE } from '../fields.js';
import type { Schema } from '../schema.js';

/**
 * What the framework writes in the words of OpenAPI 3.0, in those of 3.1: `nullable: true` becomes null among the types, and
 * what may be any value has no type at all (the framework makes lists of types of its own, also with that word in it).
 */
export function inDialect31(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inDialect31);
  if (value === null || typeof value !== 'object') return value;
  const { nullable, ...rest } = value as Schema & { nullable?: unknown };
  const inner = Object.fromEntries(
    Object.entries(rest)
      .filter(([name, each]) => name !== 'type' || ![each].flat().includes(ANY_TYPE))
      .map(([name, each]) => [name, inDialect31(each)]),
  );
  if (nullable !== true) return nullable === undefined ? inner : { ...inner, nullable: inDialect31(nullable) };
  if (typeof inner.type === 'string') {
    const withNull = { ...inner, type: [inner.type, 'null'] };
    return Array.isArray(inner.enum) ? { ...withNull, enum: [...(inner.enum as unknown[]), null] } : withNull;
  }
  return { anyOf: [inner, { type: 'null' }] };
}
