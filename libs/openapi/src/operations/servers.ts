import { entriesOf, isObject, listOf, own, textOf } from '../json.js';
import { MAX_FACTS_CHARS } from '../limits.js';
import type { Warn } from '../schema/schema-library.js';
import type { Server } from './plan.js';

const MAX_SERVERS = 20;
const MAX_URL = 2_048;

/**
 * The servers of a document, a path or an operation; null where it has no list of its own.
 *
 * @param base where the document came from; relative addresses are relative to it
 */
export function serversIn(node: unknown, base: string | null, path: string, warn: Warn): readonly Server[] | null {
  let chars = 0;
  const servers = listOf(own(node, 'servers'))
    .slice(0, MAX_SERVERS)
    .flatMap((each) => serverOf(each, base, path, warn))
    .filter((server) => {
      chars += JSON.stringify(server).length;
      if (chars > MAX_FACTS_CHARS / 2) warn(path, 'has servers with too many variables; the last ones are left out');
      return chars <= MAX_FACTS_CHARS / 2;
    });
  return servers.length > 0 ? servers : null;
}

/** OpenAPI 3.1, section 4.8.1: without a list there is one server, with the address of the document. */
export function defaultServers(base: string | null): readonly Server[] {
  return [{ url: base === null ? '/' : new URL('/', base).href }];
}

function serverOf(node: unknown, base: string | null, path: string, warn: Warn): Server[] {
  const written = textOf(node, 'url');
  if (written === undefined || written.length > MAX_URL) {
    warn(path, 'has a server without an address that can be used');
    return [];
  }
  const url = absolute(written, base);
  if (!/^(https?:\/\/|\/|\{)/i.test(url)) {
    warn(path, `has a server at "${written.slice(0, 100)}", which is not an http or https address`);
    return [];
  }
  const variables = entriesOf(own(node, 'variables')).flatMap(([name, variable]) => {
    const given = textOf(variable, 'default');
    const choices = listOf(own(variable, 'enum')).filter((each) => typeof each === 'string');
    if (given === undefined) return [];
    return [[name, { default: given, ...(choices.length > 0 && { enum: choices }) }] as const];
  });
  const description = textOf(node, 'description');
  return [
    {
      url,
      ...(description !== undefined && { description: description.slice(0, 200) }),
      ...(variables.length > 0 && { variables: Object.fromEntries(variables) }),
    },
  ];
}

/** A variable may be any part of an address, so that only a plainly relative one is resolved. */
function absolute(written: string, base: string | null): string {
  if (base === null || /^([a-z][a-z0-9+.-]*:|\{)/i.test(written)) return written;
  const resolved = URL.parse(written, base);
  return resolved ? resolved.href.replaceAll('%7B', '{').replaceAll('%7D', '}') : written;
}

/** Whether a value could name where a document came from. */
export function baseOf(address: string | null): string | null {
  const url = address === null ? null : URL.parse(address);
  return url && /^https?:$/.test(url.protocol) && isObject(url) ? url.href : null;
}
