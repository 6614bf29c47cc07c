import type { components } from '@weft/client';
import { Refusal } from './refusal';

type Problem = components['schemas']['Problem'];

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
