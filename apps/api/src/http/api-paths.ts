/**
 * Where the operations of a noun answer: `/api/v1/<noun>` and its alias `/api/<noun>`, one handler (docs/http-api.md §1.1).
 *
 * @param noun without slashes around it, e.g. `flows` or `flows/:flowId/layers`
 */
export function apiPaths(noun: string): string[] {
  return [`api/v1/${noun}`, `api/${noun}`];
}

/** The canonical form, for `Location` headers and references in answers. */
export function apiPath(path: string): string {
  return `/api/v1/${path}`;
}
