import { EgressError, type EgressClient } from '@weft/egress';
import { SecretUnreadable, TokenUnusable, type IntegrationTokens } from '@weft/identity';
import { LayerFailure, withCredential, type Connection, type OutgoingRequest } from '@weft/layers';
import { MAX_DOCUMENT_BYTES } from '@weft/openapi';
import { TenantScope, type PayloadStore } from '@weft/store';
import { ImportFault } from './import-fault.js';
import { leaveToRuns } from './leave-to-runs.js';

const TIMEOUT_MS = 60_000;
const MAX_REDIRECTS = 5;
const ELSEWHERE = " It was asked without credentials: the endpoint of the API's link is elsewhere.";
const ACCEPT = 'application/json, application/yaml;q=0.9, text/yaml;q=0.9, */*;q=0.5';

export interface FetchedDocument {
  readonly bytes: Uint8Array;
  /** Where its relative addresses are relative to; null: it was uploaded. */
  readonly from: string | null;
}

export interface AddressedDocument {
  readonly url: string;
  readonly companyId: string;
  /** The link whose credential is shown where the document is at its endpoint's origin; null: none. */
  readonly integrationId: string | null;
}

/** Fetches documents through the egress guard. */
export class DocumentFetcher {
  constructor(
    private readonly http: EgressClient,
    private readonly links: Pick<IntegrationTokens, 'find'>,
  ) {}

  /** @throws ImportFault */
  async fetch({ url, companyId, integrationId }: AddressedDocument, signal: AbortSignal): Promise<FetchedDocument> {
    const plain = { method: 'GET', url, headers: new Map([['accept', ['accept', ACCEPT] as const]]), body: null };
    try {
      const request = integrationId === null ? plain : await this.withLink(plain, companyId, integrationId);
      const answer = await this.http.request({
        ...{ method: request.method, url: request.url, headers: Object.fromEntries(request.headers.values()) },
        // a redirect to another origin takes no header that may hold a credential, and no query
        ...{ timeoutMs: TIMEOUT_MS, maxRedirects: MAX_REDIRECTS, maxResponseBytes: MAX_DOCUMENT_BYTES, signal },
      });
      const from = new URL(answer.url);
      if (answer.statusCode !== 200) {
        const without = integrationId !== null && request === plain ? ELSEWHERE : '';
        throw new ImportFault(`${from.host} answered ${answer.statusCode}, not 200.${without}`);
      }
      // its query may have the credential, and servers of the document are relative to it
      from.search = '';
      return { bytes: answer.body, from: from.href };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof EgressError || error instanceof LayerFailure) {
        throw new ImportFault(`The document cannot be fetched: ${error.message} (${error.code}).`);
      }
      throw error;
    }
  }

  private async withLink(request: OutgoingRequest, companyId: string, integrationId: string): Promise<OutgoingRequest> {
    const link = await usableLink(this.links, companyId, integrationId);
    // it is the link of the operations, which may be elsewhere
    return isAt(link, request.url) ? withCredential(link, request) : request;
  }
}

/**
 * The link, for a request to this address.
 *
 * @throws ImportFault
 */
export async function linkAt(
  links: Pick<IntegrationTokens, 'find'>,
  url: string,
  companyId: string,
  integrationId: string,
): Promise<Connection> {
  const link = await usableLink(links, companyId, integrationId);
  if (isAt(link, url)) return link;
  const own = URL.parse(link.endpoint ?? '')?.origin;
  const where = own === undefined ? 'it has no endpoint' : `its endpoint is at ${own}`;
  throw new ImportFault(
    `The integration's credential is sent to the origin of its endpoint alone: ${where}, this address at ${URL.parse(url)?.origin}.`,
  );
}

/** @throws ImportFault */
async function usableLink(
  links: Pick<IntegrationTokens, 'find'>,
  companyId: string,
  integrationId: string,
): Promise<Connection> {
  const link = await links.find(companyId, integrationId).catch((error: unknown) => {
    if (!(error instanceof TokenUnusable) && !(error instanceof SecretUnreadable)) throw error;
    throw new ImportFault('The integration cannot be used: its credential cannot be read or has ended.');
  });
  if (!link) throw new ImportFault('The integration whose credential is shown is not there any more.');
  return link;
}

/** Whether the address is at the origin of the endpoint. */
function isAt({ endpoint }: Connection, url: string): boolean {
  const [own, asked] = [endpoint, url].map((address) => URL.parse(address ?? '')?.origin);
  return own !== undefined && own === asked;
}

/**
 * A document that was uploaded.
 *
 * @throws ImportFault
 */
export async function readUploaded(
  payloads: PayloadStore,
  companyId: string,
  id: string,
  signal: AbortSignal,
): Promise<FetchedDocument> {
  const file = await payloads.userFiles.open(new TenantScope(companyId), id);
  if (!file) throw new ImportFault('The uploaded document is not kept any more: upload it again.');
  if (file.bytes > MAX_DOCUMENT_BYTES) {
    throw new ImportFault(`The document has ${file.bytes} bytes; ${MAX_DOCUMENT_BYTES} are allowed.`);
  }
  const bytes = Buffer.alloc(file.bytes);
  let at = 0;
  let begunAt = performance.now();
  for await (const chunk of file.read()) {
    at += chunk.copy(bytes, at);
    await leaveToRuns(performance.now() - begunAt, signal);
    begunAt = performance.now();
  }
  return { bytes, from: null };
}
