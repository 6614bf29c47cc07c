import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { createEgressClient, type EgressClient } from '@weft/egress';
import { openOAuth, type IntegrationTokens } from '@weft/identity';
import { FairSemaphore } from '@weft/concurrency';
import { NEW_ID, type Drainable, type NewId } from '@weft/kernel';
import { LOG, warnRarely } from '@weft/observability';
import { Pass } from '@weft/process';
import { ApiImportsRepository, type ImportTurn } from '@weft/records';
import { Sandbox } from '@weft/sandbox';
import { Mongo, PayloadStore, SystemScope } from '@weft/store';
import type { Logger } from 'pino';
import { DocumentFetcher, readUploaded, type FetchedDocument } from './fetch-document.js';
import { listTools } from './list-tools.js';
import { importDocument } from './import-document.js';
import { ImportFault } from './import-fault.js';

/** Of one process, each of another company: one waits for the answer of a server while the document of another is read. */
const AT_ONCE = 2;
/** For how long an import rests after the process that worked on it died. */
const LEASE_MS = 15_000;
/** Companies whose turns are remembered. */
const MOST_SERVED = 1_000;
const FAULT_PAUSE_MS = 5_000;
/** After as many turns without an end the import is given up: the next process would fare no better. */
const MOST_ATTEMPTS = 3;
const ALL = new SystemScope('imports of all companies, each under the scope of its own');

/**
 * Imports the OpenAPI documents that somebody has asked for (ADR 117), and the tools of MCP servers (ADR 121). Replicas need no leader:
 * each import has a lease.
 */
@Injectable()
export class ApiImporter implements Drainable {
  private readonly http: EgressClient;
  private readonly imports: ApiImportsRepository;
  private readonly links: IntegrationTokens;
  private readonly fetcher: DocumentFetcher;
  private readonly payloads: PayloadStore;
  private readonly onFault: (error: unknown) => void;
  /** A document and its operations may have 50 MB, and take a processor for seconds. */
  private readonly reading = new FairSemaphore(1);
  private readonly stopping = new AbortController();
  /** Companies that had a turn since all that wait had one: one that asks for many imports waits for the others. */
  private readonly served = new Set<string>();
  /** By company. */
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) log: Logger,
    @Inject(NEW_ID) newId: NewId,
    mongo: Mongo,
    private readonly sandbox: Sandbox,
  ) {
    this.http = createEgressClient(settings.egress);
    this.imports = new ApiImportsRepository(mongo);
    this.payloads = new PayloadStore(mongo);
    const { integrationTokens } = openOAuth({ mongo, settings, http: this.http, processTag: newId() });
    this.links = integrationTokens;
    this.fetcher = new DocumentFetcher(this.http, integrationTokens);
    this.onFault = warnRarely(log, 'api imports', 'an import failed; it is tried again');
  }

  /** Begins imports, and waits for none of them. */
  @Pass({ name: 'api imports', everyMs: 1_000 })
  async pass(): Promise<void> {
    while (this.underWay.size < AT_ONCE && !this.stopping.signal.aborted) {
      const turn = await this.next();
      if (!turn) return;
      const ended = this.work(turn).finally(() => this.underWay.delete(turn.company_id));
      this.underWay.set(turn.company_id, ended);
    }
  }

  private async next(): Promise<ImportTurn | null> {
    const busy = [...this.underWay.keys()];
    let turn = await this.imports.claim(ALL, LEASE_MS, [...busy, ...this.served]);
    if (!turn && this.served.size > 0) {
      this.served.clear();
      turn = await this.imports.claim(ALL, LEASE_MS, busy);
    }
    if (this.served.size >= MOST_SERVED) this.served.clear();
    if (turn) this.served.add(turn.company_id);
    return turn;
  }

  async drain(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.underWay.values());
    await this.http.close();
  }

  private async work(turn: ImportTurn): Promise<void> {
    const lost = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, lost.signal]);
    const renewal = setInterval(() => {
      this.imports.renew(turn, LEASE_MS).then((isMine) => isMine || lost.abort(), this.onFault);
    }, LEASE_MS / 3);
    try {
      await this.import(turn, signal);
    } catch (error) {
      await this.end(turn, error, signal.aborted).catch(this.onFault); // the lease ends by itself
    } finally {
      clearInterval(renewal);
    }
  }

  private async import(turn: ImportTurn, signal: AbortSignal): Promise<void> {
    if (turn.removed) return this.imports.removeAll(turn, signal);
    if (turn.attempts > MOST_ATTEMPTS) {
      throw new ImportFault(
        `The import was begun ${MOST_ATTEMPTS} times and never ended. Ask for it again, or report it.`,
      );
    }
    const document = await this.documentOf(turn, signal);
    const { imports, sandbox, http } = this;
    const release = await this.reading.acquire(turn.company_id);
    try {
      signal.throwIfAborted();
      await importDocument({ imports, sandbox, http, leaseMs: LEASE_MS }, turn, document, signal);
    } finally {
      release();
    }
  }

  private documentOf(turn: ImportTurn, signal: AbortSignal): Promise<FetchedDocument> {
    const { asked, company_id, integrationId, kind } = turn;
    if (kind === 'mcp') return listTools(this.http, this.links, turn, signal);
    const { source } = asked;
    if ('file' in source) return readUploaded(this.payloads, company_id, source.file, signal);
    return this.fetcher.fetch({ url: source.url, companyId: company_id, integrationId }, signal);
  }

  private async end(turn: ImportTurn, error: unknown, wasAborted: boolean): Promise<void> {
    if (error instanceof ImportFault) return this.imports.fail(turn, error.message);
    if (!wasAborted) this.onFault(error);
    await this.imports.postpone(turn, wasAborted ? 0 : FAULT_PAUSE_MS, !wasAborted);
  }
}
