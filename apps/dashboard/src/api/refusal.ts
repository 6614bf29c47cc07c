import type { components } from '@weft/client';

type Problem = components['schemas']['Problem'];

/** A request that was not answered with what was asked for, in words that a person can act on. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    /** Null when no answer came. */
    readonly problem: Problem | null,
    message: string,
    readonly status = 0,
  ) {
    super(message);
  }

  get code(): string {
    return this.problem?.code ?? 'unreachable';
  }

  get requestId(): string | null {
    return this.problem?.requestId ?? null;
  }
}

const UNREACHABLE = 'Weft could not be reached. What you typed is still here: try again when the connection is back.';

export function unreachable(): Refusal {
  return new Refusal(null, UNREACHABLE);
}

export async function toRefusal(response: Response, body: unknown): Promise<Refusal> {
  if (isProblem(body)) return new Refusal(body, body.detail, response.status);
  return new Refusal(
    null,
    `The server answered ${response.status}. A proxy in front of Weft may be the reason.`,
    response.status,
  );
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body;
}

/** Somebody else was faster: what was read is not the newest any more. */
export function isVersionConflict(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'version_conflict';
}

/** The message for one field of a form, from the problem's list of faults. */
export function faultOf(error: unknown, field: string): string | undefined {
  if (!(error instanceof Refusal)) return undefined;
  return error.problem?.errors.find(({ path }) => path === field || path.endsWith(`.${field}`))?.message;
}

/** The first fault at a place or within it, with its path. */
export function firstFault(error: unknown, place: string): string | undefined {
  const [first] = faultsWithin(error, place);
  return first && `${first.path}: ${first.message}`;
}

export function faultsWithin(error: unknown, place: string): Problem['errors'] {
  if (!(error instanceof Refusal)) return [];
  return (
    error.problem?.errors.filter(
      ({ path }) => path === place || (/^[.[]/.test(path.slice(place.length)) && path.startsWith(place)),
    ) ?? []
  );
}
