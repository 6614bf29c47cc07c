import { readTools } from '@weft/openapi';
import type { Face } from '../../face.js';
import type { OfferedTool } from '@weft/testing';

let servers = 0;

/** The face of a tool as it was imported, of a server that no other spec has. */
export function faceOfTool(
  tool: OfferedTool,
  url: string,
  more: Partial<NonNullable<Face['server']>> = {},
): Face & { readonly server: NonNullable<Face['server']> } {
  const listed = { protocol: '2026-07-28', server: {}, instructions: '', tools: [tool] };
  const [operation] = readTools(Buffer.from(JSON.stringify(listed))).operations;
  if (!operation) throw new Error('it was skipped');
  const { digest, argsSchema, outSchema, plan, title, description } = operation;
  servers += 1;
  const server = { id: `server${servers}`, url, era: 'auto', integrationId: null, ...more } as const;
  return {
    digest,
    argsSchema,
    outSchema,
    plan,
    title,
    description,
    warnings: [],
    linkKinds: [],
    baseUrl: null,
    server,
  };
}
