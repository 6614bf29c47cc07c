/** The arguments of an agent and of its tools, in words. Pure. */
import type { Args, Field, Schema } from './form-model';
import { fieldOf } from './form-model';
import { propertiesOf, schemaAt } from './schema-reading';

export const AGENT = 'agent';

type Words = Readonly<Record<string, string>>;

const LABELS: Words = {
  integrationId: 'Provider (link)',
  provider: 'What its API speaks',
  model: 'Model',
  instructions: 'Instructions',
  input: 'Task',
  outputSchema: 'Schema of the answer',
  tools: 'Tools',
  temperature: 'Temperature',
  maxTokens: 'Most tokens of an answer',
  limits: 'Limits',
  onLimit: 'At a limit',
  approvers: 'Who approves',
  onReject: 'After a rejection',
};
const LIMITS: Words = {
  steps: 'Answers of the model',
  tokens: 'Tokens',
  cost: 'Cost in dollars',
  seconds: 'Seconds of work',
  toolCalls: 'Calls of tools',
};
const CHOICES: Readonly<Record<string, Words>> = {
  provider: {
    openai: 'OpenAI and compatible',
    anthropic: 'Anthropic',
  },
  onLimit: { fail: 'It fails', answer: 'One last answer, without tools' },
  onReject: { result: 'The model reads it, and goes on', fail: 'It fails' },
  parallel: { true: 'At the same time as others', false: 'One after another' },
  onInterrupted: { repeat: 'It is made again, with the same key', fail: 'The agent fails' },
};
/** What is set rarely is a click away. */
const OF_TOOLS: Words = {
  name: 'Name for the model',
  description: 'Description for the model',
  max: 'Most calls',
  parallel: 'Several calls',
  onInterrupted: 'After a crash',
  server: 'Address of the API',
  auth: 'Credential',
};
/** In them `{{` is a text, or is not taken. */
const PLAIN: ReadonlySet<string> = new Set(['model', 'name', 'description']);
const SHOWN: ReadonlySet<string> = new Set(['tools', 'limits', 'provider']);

export function agentFields(fields: readonly Field[]): readonly Field[] {
  return fields.map((field) => {
    const named = inWords(field, LABELS, SHOWN.has(field.name));
    if (named.kind !== 'object' || named.name !== 'limits') return named;
    return { ...named, fields: named.fields.map((each) => inWords(each, LIMITS, true)) };
  });
}

/** The arguments of a tool that have no control of their own. @param item the field of one tool */
export function toolFields(item: Field, kind: unknown): readonly Field[] {
  const variant = item.kind === 'variant' ? item.variants.find(({ label }) => label === kind)?.field : undefined;
  if (variant?.kind !== 'object') return [];
  return variant.fields.filter(({ name }) => isOfTool(kind, name)).map((field) => inWords(field, OF_TOOLS, false));
}

/** Of an MCP tool `server` is whose it is. */
export function isOfTool(kind: unknown, name: string): boolean {
  return Object.hasOwn(OF_TOOLS, name) && !(kind === 'mcp' && name === 'server');
}

function inWords(field: Field, labels: Words, isShown: boolean): Field {
  const words = CHOICES[field.name];
  const named = { ...field, ...(Object.hasOwn(labels, field.name) && { label: labels[field.name] }), isShown };
  if (named.kind === 'boolean' && words)
    return { ...named, kind: 'choice', options: [false, true], words, fallback: named.fallback || 'false' };
  if (named.kind === 'choice' && words) return { ...named, words };
  return named.kind === 'text' && PLAIN.has(field.name) ? { ...named, kind: 'word' } : named;
}

const MAX_DEPTH = 3;
const MAX_PATHS = 100;

/** Paths of the arguments of a tool, in dots: what can be fixed. */
export function pathsOf(schema: Schema): readonly string[] {
  const found: string[] = [];
  const visit = (at: Schema, before: string, depth: number): void => {
    for (const [name, inner] of Object.entries(propertiesOf(at, schema.$defs))) {
      if (found.length >= MAX_PATHS || name.includes('.')) continue;
      found.push(before + name);
      if (depth < MAX_DEPTH) visit(inner, `${before}${name}.`, depth + 1);
    }
  };
  visit(schema, '', 1);
  return found;
}

/** The field of what is fixed; of what the schema does not name, anything. */
export function fixedField(schema: Schema, path: string): Field {
  const { $defs } = schema;
  return { ...fieldOf(path, schemaAt(schema, path.split('.')) ?? {}, false, $defs), description: '' };
}

/** What a card says of its tool while it is closed. */
export function toolWords({ approve = 'never', fixed, max }: Args): readonly string[] {
  const paths = typeof fixed === 'object' && fixed !== null ? Object.keys(fixed) : [];
  return [
    ...(approve === 'never' ? [] : [approve === 'always' ? 'asks a person' : 'may ask a person']),
    ...(paths.length > 0 ? [`${paths.join(', ')} fixed`] : []),
    ...(typeof max === 'number' ? [`up to ${max} calls`] : []),
  ];
}
