import type { Paths } from './operations.js';

/** Describes an operation with two paths once, under `/api/v1`, with the other path as `x-alias`. */
export function withAliases(paths: Paths): Paths {
  const shown: Record<string, object> = {};
  for (const [path, item] of Object.entries(paths)) {
    const alias = path.replace(/^\/api\/v1\//, '/api/');
    const twin = path.replace(/^\/api\/(?!v1\/)/, '/api/v1/');
    if (alias !== path && alias in paths) shown[path] = { ...item, 'x-alias': alias };
    else if (twin === path || !(twin in paths)) shown[path] = item;
  }
  return shown;
}
