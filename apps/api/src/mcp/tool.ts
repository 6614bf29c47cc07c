/** A tool that agents call: docs/mcp.md. */
import type {
  InputRequiredResult,
  ServerContext,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Actor } from '../audit/actor-entry.js';
import type { McpAccess } from './mcp-access.js';

/** One call, and on whose behalf. */
export interface ToolCall extends Actor {
  readonly access: McpAccess;
  /** Aborted when the client has closed the request. It ends a wait, and nothing else. */
  readonly gone: AbortSignal;
  readonly context: ServerContext;
}

/** What the model is given; or the questions that its user has to answer first. */
export type ToolAnswer = object | InputRequiredResult;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: StandardSchemaWithJSON;
  readonly output: StandardSchemaWithJSON;
  readonly annotations: ToolAnnotations;
  /** @throws WeftError */
  readonly run: (args: never, call: ToolCall) => Promise<ToolAnswer>;
}

type ToolOf<In extends z.ZodType> = Omit<Tool, 'input' | 'run'> & {
  readonly input: In;
  readonly run: (args: z.output<In>, call: ToolCall) => Promise<ToolAnswer>;
};

export function tool<In extends z.ZodType>(definition: ToolOf<In>): Tool {
  return definition;
}

/** Several tools of one noun. */
export interface ToolGroup {
  readonly tools: readonly Tool[];
}

export const READS = { readOnlyHint: true, openWorldHint: false } as const satisfies ToolAnnotations;
/** It adds something, and calling it again adds another. */
export const ADDS = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;
/** It replaces what was there. */
export const CHANGES = { readOnlyHint: false, destructiveHint: true, openWorldHint: false } as const;
/** Layers call services outside. */
export const RUNS = { readOnlyHint: false, destructiveHint: true, openWorldHint: true } as const;
