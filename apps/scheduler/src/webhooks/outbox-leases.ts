import { SystemScope, type OutboxLease, type WebhookOutboxesRepository } from '@weft/persistence';

/** A process that has not renewed for this long, as this one has watched it, is dead. */
const LEASE_MS = 12_000;
/** A process that has not looked for this long stood still, and the others perhaps with it: it watches them anew. */
const MAX_GAP_MS = LEASE_MS / 2;
/** What is sent goes out only on a renewal that was sent less than this ago. */
const PROOF_MS = 8_000;
const PAGE = 500;
const ALL = new SystemScope('schedulers share the webhooks of all companies among them');

interface Sighting {
  readonly owner: string | null;
  readonly beat: number;
  readonly sinceMs: number;
}

/**
 * Which companies' webhooks this process delivers. No clock but this process's monotonic one decides: a lease is free when it
 * has stood still for `LEASE_MS` while it was watched (as owners of plays: ADR 50).
 */
export class OutboxLeases {
  /** When the renewal was sent that holds it, monotonic ms. */
  private readonly provenAt = new Map<string, number>();
  private readonly seen = new Map<string, Sighting>();
  private lookedAtMs = 0;

  constructor(
    private readonly outboxes: WebhookOutboxesRepository,
    readonly owner: string,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  get owned(): readonly string[] {
    return [...this.provenAt.keys()];
  }

  /** Whether something may be sent for the company now. */
  isProven(companyId: string): boolean {
    const at = this.provenAt.get(companyId);
    return at !== undefined && this.monotonicMs() - at < PROOF_MS;
  }

  /** Renews what this process has, and takes what nobody has. */
  async pass(): Promise<void> {
    await this.renew();
    const known = new Set<string>();
    for (let after: string | null = ''; after !== null;) {
      const readAtMs = this.look();
      const page: readonly OutboxLease[] = await this.outboxes.leases(ALL, after, PAGE);
      for (const lease of page) {
        known.add(lease._id);
        if (!this.provenAt.has(lease._id) && this.isFree(lease, readAtMs)) await this.take(lease);
      }
      after = page.length === PAGE ? (page.at(-1)?._id ?? null) : null;
    }
    for (const id of this.seen.keys()) if (!known.has(id)) this.seen.delete(id);
  }

  /** Others need not wait until the leases have run out. */
  async giveBack(): Promise<void> {
    const { owned } = this;
    this.provenAt.clear();
    await this.outboxes.giveBack(ALL, owned, this.owner);
  }

  private async renew(): Promise<void> {
    const sentAt = this.monotonicMs();
    const held = await this.outboxes.renew(ALL, this.owned, this.owner);
    for (const id of this.owned) {
      if (held.has(id)) this.provenAt.set(id, sentAt);
      else this.provenAt.delete(id);
    }
  }

  /** @returns monotonic time of a look that begins now */
  private look(): number {
    const nowMs = this.monotonicMs();
    if (nowMs - this.lookedAtMs > MAX_GAP_MS) this.seen.clear();
    return (this.lookedAtMs = nowMs);
  }

  /** @param readAtMs from before the lease was read: this process may have stood still since then */
  private isFree({ _id, owner, beat }: OutboxLease, readAtMs: number): boolean {
    if (owner === null || owner === this.owner) return true;
    const sighting = this.seen.get(_id);
    if (sighting?.owner !== owner || sighting.beat !== beat) {
      this.seen.set(_id, { owner, beat, sinceMs: this.monotonicMs() });
      return false;
    }
    return readAtMs - sighting.sinceMs >= LEASE_MS;
  }

  private async take(lease: OutboxLease): Promise<void> {
    const sentAt = this.monotonicMs();
    if (await this.outboxes.take(ALL, lease, this.owner)) this.provenAt.set(lease._id, sentAt);
    this.seen.delete(lease._id);
  }
}
