import type { EgressClient } from '@weft/egress';
import type { IntegrationTokens } from '@weft/identity';
import { asSentence } from '@weft/kernel';
import { LayerFailure, withMcpSession } from '@weft/layers';
import { serverOf, type ImportTurn } from '@weft/records';
import { linkAt, type FetchedDocument } from './fetch-document.js';
import { ImportFault } from './import-fault.js';

/** Of all requests together: others wait for their turn. */
const ALL_MS = 60_000;

/**
 * The tools of an MCP server, as JSON, by the requests that calls make.
 *
 * @throws ImportFault
 */
export async function listTools(
  http: EgressClient,
  links: Pick<IntegrationTokens, 'find' | 'renewed'>,
  turn: ImportTurn,
  stopped: AbortSignal,
): Promise<FetchedDocument> {
  const { companyId, source } = { companyId: turn.company_id, source: turn.asked.source };
  const { id, url, era, integrationId } = serverOf({ ...turn, source });
  const found = integrationId === null ? null : await linkAt(links, url, companyId, integrationId);
  const link =
    found && integrationId !== null
      ? { ...found, renewed: () => links.renewed(companyId, integrationId, found.secret) }
      : null;
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(ALL_MS)]);
  try {
    const listed = await withMcpSession(
      { id, url, era, link },
      { http, signal, timeoutMs: ALL_MS, isNew: true },
      (session) => session.list(),
    );
    return { bytes: Buffer.from(JSON.stringify(listed)), from: null };
  } catch (error) {
    stopped.throwIfAborted();
    if (error instanceof LayerFailure) {
      throw new ImportFault(`The tools of the server cannot be read (${error.code}): ${asSentence(error.message)}`);
    }
    if (signal.aborted) throw new ImportFault(`The server did not list its tools within ${ALL_MS / 1_000} s.`);
    throw error;
  }
}
