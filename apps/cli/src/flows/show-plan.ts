import { clean, shorten, toJson } from '../io/clean.js';
import type { Colour } from '../io/terminal.js';
import type { Difference } from './differences.js';
import type { Step } from './plan.js';

const MOST = 60;

export interface PlanLine {
  readonly text: string;
  readonly colour: Colour;
}

/** What a step does, for people: `~ layer fetch: timeoutMs 30000 → 10000`. */
export function linesOf(step: Step): PlanLine[] {
  switch (step.do) {
    case 'change flow':
      return step.because.map((each) => changed('flow', each));
    case 'remove layer':
      return [{ text: `- layer ${clean(step.ref)}`, colour: 'red' }];
    case 'change layer':
      return step.because.map((each) => changed(`layer ${clean(step.ref)}`, each));
    case 'add layer':
      return [{ text: `+ layer ${clean(step.ref)} (${clean(step.appId)})`, colour: 'green' }];
    case 'order layers':
      return [{ text: `~ order of layers: ${step.refs.map(clean).join(', ')}`, colour: 'yellow' }];
    case 'remove case':
      return [{ text: `- test case "${clean(step.name)}"`, colour: 'red' }];
    case 'change case':
      return step.because.map((each) => changed(`test case "${clean(step.name)}"`, each));
    case 'add case':
      return [{ text: `+ test case "${clean(step.name)}"`, colour: 'green' }];
    case 'order cases':
      return [{ text: `~ order of test cases: ${step.names.map(clean).join(', ')}`, colour: 'yellow' }];
  }
}

export function changed(what: string, { path, before, after }: Difference): PlanLine {
  const place = `${what}: ${clean(path)}`;
  if (before === undefined) return { text: `+ ${place} ${short(after)}`, colour: 'green' };
  if (after === undefined) return { text: `- ${place} ${short(before)}`, colour: 'red' };
  return { text: `~ ${place} ${short(before)} → ${short(after)}`, colour: 'yellow' };
}

function short(value: unknown): string {
  return shorten(toJson(value), MOST);
}
