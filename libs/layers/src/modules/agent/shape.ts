import { z } from 'zod';
import { operationArgs } from '../operation/args.js';

export const MAX_AGENT_TOOLS = 128;
/** Of a name that every provider takes. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Dots lead into objects; a name of its own never has one. */
const FIXED_PATH = /^[^.\s]{1,128}(?:\.[^.\s]{1,128}){0,9}$/;

const ofEveryTool = {
  name: z
    .string()
    .regex(TOOL_NAME, 'expected 1 to 64 letters, digits, _ or -')
    .optional()
    .describe('What the model calls it; made of what it is unless given.'),
  description: z
    .string()
    .min(1)
    .max(4_000)
    .optional()
    .describe('What the model reads of it, in the place of its own description.'),
  approve: z
    .string()
    .min(1)
    .max(10_000)
    .default('never')
    .describe(
      'Whether a person approves a call before it is made: never, always, or a condition over $call.tool and $call.args, such as {{ $call.args.body.amount > 100 }}.',
    ),
  fixed: z
    .record(z.string().regex(FIXED_PATH, 'expected names with dots between them'), z.unknown())
    .default({})
    .describe(
      'Arguments that Weft puts in, by their path in dots, such as body.account. The model neither sees nor decides them.',
    ),
  max: z.int().min(1).max(1_000).optional().describe('The most calls of this tool in one run of the layer.'),
  parallel: z
    .boolean()
    .default(false)
    .describe('Whether its calls may run at the same time as other calls of the same answer.'),
};

const flowTool = z.strictObject({
  kind: z.literal('flow'),
  flowId: z.string().min(1).max(100).describe('Id or key of an enabled flow of the company, which the call waits for.'),
  ...ofEveryTool,
});

/** What a crash does with a call that it interrupted, which has no play of its own. */
const onInterrupted = z
  .enum(['repeat', 'fail'])
  .default('repeat')
  .describe(
    'What follows when a crash interrupts a call: it is made again with the same Idempotency-Key, or the layer fails (interrupted).',
  );

const operationTool = z.strictObject({
  kind: z.literal('operation'),
  api: operationArgs.shape.api,
  operation: operationArgs.shape.operation,
  digest: operationArgs.shape.digest,
  server: operationArgs.shape.server,
  auth: operationArgs.shape.auth,
  ...ofEveryTool,
  onInterrupted,
});

const mcpTool = z.strictObject({
  kind: z.literal('mcp'),
  server: operationArgs.shape.api.describe('Key or id of an MCP server of the company.'),
  tool: operationArgs.shape.operation.describe('Name of one of its tools.'),
  digest: operationArgs.shape.digest,
  ...ofEveryTool,
  onInterrupted,
});

const limits = z.strictObject({
  steps: z.int().min(1).max(100).default(20).describe('Answers of the model.'),
  tokens: z.int().min(1).max(100_000_000).default(200_000).describe('Tokens of all calls of the model, in and out.'),
  cost: z
    .number()
    .positive()
    .max(10_000)
    .nullable()
    .default(1)
    .describe('Dollars. It holds where the price of the model is known; null: no limit.'),
  seconds: z.int().min(1).max(86_400).default(600).describe('Of work: waits for people and plays are not counted.'),
  toolCalls: z.int().min(0).max(1_000).default(50).describe('Calls of tools.'),
});

export const agentArgs = z.strictObject({
  integrationId: z.string().min(1).max(64).describe('Id or key of an integration link whose secret is the API key.'),
  provider: z
    .enum(['openai', 'anthropic'])
    .default('openai')
    .describe(
      'What the API speaks: chat completions as OpenAI, vLLM, Ollama, OpenRouter and Azure do, or the messages of Anthropic.',
    ),
  model: z.string().min(1).max(200).describe('Name of the model, as its provider calls it.'),
  instructions: z.string().min(1).max(100_000).describe('What the agent is for, and how it works.'),
  input: z.string().min(1).max(1_000_000).describe('What it is to do now.'),
  outputSchema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('JSON Schema of the value that the agent has to give, with type object.'),
  tools: z
    .array(z.discriminatedUnion('kind', [flowTool, operationTool, mcpTool]))
    .max(MAX_AGENT_TOOLS)
    .default([])
    .describe('What the agent may call, and nothing else.'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe('0 for the likeliest words, up to 2; the provider decides unless it is given.'),
  maxTokens: z.int().min(1).max(1_000_000).default(4_096).describe('The most tokens of one answer.'),
  limits: limits.prefault({}).describe('Where the agent stops. They are checked before each call of the model.'),
  onLimit: z
    .enum(['fail', 'answer'])
    .default('fail')
    .describe('What follows at a limit: a failure, or one last answer without tools.'),
  approvers: z
    .array(z.string().min(1).max(100))
    .max(100)
    .default([])
    .describe('Ids of the users and groups who may decide on its calls, besides admins; when empty, editors.'),
  onReject: z
    .enum(['result', 'fail'])
    .default('result')
    .describe('What a rejected call is: a result that the model reads, or a failure (rejected).'),
});

export type AgentArgs = z.output<typeof agentArgs>;
export type ToolArgs = AgentArgs['tools'][number];
export type AgentLimits = AgentArgs['limits'];
