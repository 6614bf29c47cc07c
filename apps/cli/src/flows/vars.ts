import { readFileSync } from 'node:fs';
import { parseJson, type FlowDocument } from '@weft/client';
import { clean } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import type { Step } from './plan.js';

/** Values of blueprint variables for one environment. They may be secrets: no message quotes them. */
export interface Vars {
  readonly file: string;
  readonly values: ReadonlyMap<string, string>;
}

/** @throws Exit where it is not an object of texts */
export function readVars(file: string): Vars {
  let value: unknown;
  try {
    value = parseJson(readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Exit(EXIT.usage, `${clean(file)} ${code ? `cannot be read: ${clean(message)}` : 'is not JSON.'}`);
  }
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : null;
  const wrong = entries?.find(([, each]) => typeof each !== 'string')?.[0];
  if (!entries || wrong !== undefined)
    throw new Exit(
      EXIT.usage,
      `${clean(file)} must be an object of texts${wrong === undefined ? '' : `; ${clean(wrong)} is not a text`}.`,
      'For example { "host": "api.example.com" }: the value of each variable that a document has in blueprintVars.',
    );
  return { file, values: new Map(entries as [string, string][]) };
}

/** The document with the values of the environment for the variables that it has. */
export function withVars(document: FlowDocument, vars: Vars | undefined): FlowDocument {
  if (!vars || !document.blueprintVars) return document;
  const blueprintVars = Object.entries(document.blueprintVars).map(([name, value]) => [
    name,
    vars.values.get(name) ?? value,
  ]);
  return { ...document, blueprintVars: Object.fromEntries(blueprintVars) as FlowDocument['blueprintVars'] };
}

/** @throws Exit for a name that is in none of the documents: it would silently have no effect */
export function assertUsed({ file, values }: Vars, documents: readonly FlowDocument[]): void {
  const used = new Set(documents.flatMap(({ blueprintVars }) => Object.keys(blueprintVars ?? {})));
  const unknown = [...values.keys()].filter((name) => !used.has(name));
  if (unknown.length === 0) return;
  const names = unknown.map(clean).join(', ');
  throw new Exit(EXIT.usage, `${clean(file)} has ${names}: no document has such a variable in blueprintVars.`);
}

const VARIABLE = /^blueprintVars\.(.+)$/;

/** The steps without the values of the environment. */
export function withoutValues(steps: readonly Step[], vars: Vars | undefined): Step[] {
  if (!vars) return [...steps];
  return steps.map((step) =>
    step.do === 'change flow'
      ? {
          ...step,
          because: step.because.map((each) =>
            each.after !== undefined && vars.values.has(VARIABLE.exec(each.path)?.[1] ?? '')
              ? { ...each, after: `the value in ${vars.file}` }
              : each,
          ),
        }
      : step,
  );
}
