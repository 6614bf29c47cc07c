import type { ApiFacts, ImportReport, Operation } from '@weft/openapi';

export interface OpenapiAnswer {
  readonly facts: ApiFacts;
  readonly report: ImportReport;
  /** SHA-256 of the bytes of the document, in hexadecimal. */
  readonly digest: string;
  /** Each is parsed when it is asked for: all of them together may have 32 MB. */
  readonly operations: Iterable<Operation>;
}

/** Reads the answer to an OpenAPI task. */
export function openapiAnswer(answer: string): OpenapiAnswer {
  const end = answer.indexOf('\n');
  const head = JSON.parse(end === -1 ? answer : answer.slice(0, end)) as Omit<OpenapiAnswer, 'operations'>;
  return { ...head, operations: { [Symbol.iterator]: () => operationsIn(answer, end) } };
}

function* operationsIn(answer: string, end: number): Generator<Operation> {
  for (let at = end; at !== -1;) {
    const next = answer.indexOf('\n', at + 1);
    yield JSON.parse(answer.slice(at + 1, next === -1 ? undefined : next)) as Operation;
    at = next;
  }
}
